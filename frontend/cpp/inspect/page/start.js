document.addEventListener("keydown", event => {
  if (event.key === "/" && document.activeElement !== $("search")) { $("search").focus(); event.preventDefault(); }
  if (event.key === "Escape") { $("search").value = ""; chosen.clear(); table(); }
});
$("search").oninput = table;
$("in").onclick = () => zoom(.5, 0); $("out").onclick = () => zoom(2, 0);
$("left").onclick = () => zoom(1, -.25); $("right").onclick = () => zoom(1, .25);
glance(); advice(); table(); lines(); compiled(); timeline(); memory(); roof(); flops(); programs(); wordList();
document.documentElement.dataset.ready = "yes";
