"""Weft as a Conan package: built from this tree with the system's LLVM, oneTBB and the rest, which apt installs (docs/install.md).

    conan create packaging/conan
"""

import os
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeToolchain
from conan.tools.files import copy, load
from conan.tools.system.package_manager import Apt

TREE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


class Weft(ConanFile):
    name = "weft"
    description = "JIT kernel fusion for n-dimensional arrays"
    license = "Apache-2.0"
    settings = "os", "arch", "compiler", "build_type"
    options = {"compiler": [True, False]}
    default_options = {"compiler": True}
    package_type = "shared-library"

    def set_version(self):
        self.version = re.search(r"project\(weft VERSION ([0-9.]+)", load(self, os.path.join(TREE, "CMakeLists.txt")))[1]

    def export_sources(self):
        for pattern in ("CMakeLists.txt", "LICENSE", "cmake/*", "compiler/*", "runtime/*", "frontend/*"):
            copy(self, pattern, src=TREE, dst=self.export_sources_folder)

    def validate(self):
        check_min_cppstd(self, 20)

    def system_requirements(self):
        packages = ["libtbb-dev", "libhwy-dev", "libopenblas0-pthread", "libspdlog-dev", "libfmt-dev", "robin-map-dev", "libcli11-dev", "nlohmann-json3-dev", "libxxhash-dev", "libpng-dev", "libminizip-dev", "clang-19"]
        Apt(self).install(packages + ["llvm-19-dev", "libclang-19-dev"] * bool(self.options.compiler))

    def layout(self):
        self.folders.source = "."
        self.folders.build = "build"
        self.folders.generators = "build/conan"

    def generate(self):
        toolchain = CMakeToolchain(self, generator="Ninja")
        toolchain.cache_variables["WEFT_CPU_JIT"] = bool(self.options.compiler)
        for off in ("WEFT_TESTS", "WEFT_BENCHMARKS", "WEFT_EXAMPLES"):
            toolchain.cache_variables[off] = False
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", src=self.source_folder, dst=os.path.join(self.package_folder, "licenses"))

    def package_info(self):
        # Weft's own weftConfig.cmake, which names weft::weft and weft::runtime.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = [os.path.join("lib", "cmake", "weft")]
        self.cpp_info.libs = ["weft"]
