// A thread's own object, for scratch that is kept between calls. Destructors of globals and of thread_locals
// call Weft too, and run when a thread_local of class type may be gone: here only a pointer is thread_local,
// and the object is freed after all of a thread's destructors, or made again for what comes still later.
#pragma once

#include <pthread.h>

namespace weft {

template <class T>
class PerThread {
 public:
  // The calling thread's T, default-constructed when it is first asked for. The main thread's is never freed.
  static T& get() {
    if (!mine_) {
      mine_ = new T;
      // POSIX calls the key's destructor when the thread ends, again if the object was made again meanwhile.
      static const pthread_key_t key = make_key();
      pthread_setspecific(key, mine_);
    }
    return *mine_;
  }

 private:
  static pthread_key_t make_key() {
    pthread_key_t key{};
    pthread_key_create(&key, [](void* object) {
      mine_ = nullptr;
      delete static_cast<T*>(object);
    });
    return key;
  }
  static inline thread_local T* mine_ = nullptr;
};

}  // namespace weft
