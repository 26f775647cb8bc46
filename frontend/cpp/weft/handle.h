// Counted references to the library's own objects, whose shape public headers do not show.
#pragma once

#include <utility>

namespace weft::detail {

struct Cell;
struct View;
struct Access;  // the library's door to Array's members

void retain(const Cell* cell) noexcept;
void release(const Cell* cell) noexcept;
void retain(const View* view) noexcept;
void release(const View* view) noexcept;

template <class T>
class Ref {
 public:
  Ref() = default;
  explicit Ref(T* object) : object_(object) { hold(); }
  Ref(const Ref& o) : object_(o.object_) { hold(); }
  Ref(Ref&& o) noexcept : object_(std::exchange(o.object_, nullptr)) {}
  Ref& operator=(Ref o) noexcept {
    std::swap(object_, o.object_);
    return *this;
  }
  ~Ref() {
    if (object_) release(object_);
  }
  T* get() const { return object_; }
  T& operator*() const { return *object_; }
  T* operator->() const { return object_; }
  explicit operator bool() const { return object_ != nullptr; }
  friend bool operator==(const Ref& a, const Ref& b) { return a.object_ == b.object_; }

 private:
  void hold() const {
    if (object_) retain(object_);
  }
  T* object_ = nullptr;
};

}  // namespace weft::detail
