// SPDX-License-Identifier: Apache-2.0
// Every entry of a folder ends with the last byte of a page, and the page behind it cannot be read:
// a program that copies more of `d_name` than the name ends here, and elsewhere only now and then.
// readdir(3): "the use of sizeof(d_name) is incorrect".
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096 };
static __thread char *page;

struct dirent *readdir(DIR *folder) {
    struct dirent *(*real)(DIR *) = (struct dirent * (*)(DIR *)) dlsym(RTLD_NEXT, "readdir");
    struct dirent *entry = real(folder);
    if (!entry)
        return NULL;
    if (!page) {
        page = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (page == MAP_FAILED || mprotect(page + PAGE, PAGE, PROT_NONE) != 0)
            return NULL;
    }
    size_t length = offsetof(struct dirent, d_name) + strlen(entry->d_name) + 1;
    length = (length + 7) / 8 * 8;
    memcpy(page + PAGE - length, entry, length);
    return (struct dirent *)(page + PAGE - length);
}
