// How a program starts: up to glibc 2.33 crt1.o brought the function that calls the program's constructors
// and gave it to __libc_start_main. Since then crt1.o gives none, and glibc calls them, where it is given
// none. So ours stands between: it gives one to both.

extern "C" {

using Constructor = void (*)(int, char **, char **);
using Main = int (*)(int, char **, char **);

extern const Constructor __init_array_start[] __attribute__((visibility("hidden")));
extern const Constructor __init_array_end[] __attribute__((visibility("hidden")));
void _init();

int startOfGlibc(Main main, int count, char **words, Constructor constructors, void (*destructors)(),
                 void (*loadersDestructors)(), void *stackEnd);
__asm__(".symver startOfGlibc, __libc_start_main@GLIBC_2.2.5");

static void callConstructors(int count, char **words, char **environment) {
  _init();
  for (const Constructor *each = __init_array_start; each != __init_array_end; ++each)
    (*each)(count, words, environment);
}

__attribute__((visibility("hidden"))) int __libc_start_main(Main main, int count, char **words, Constructor,
                                                            void (*destructors)(),
                                                            void (*loadersDestructors)(), void *stackEnd) {
  return startOfGlibc(main, count, words, callConstructors, destructors, loadersDestructors, stackEnd);
}

} // extern "C"
