// SPDX-License-Identifier: Apache-2.0
// A thread that ends slowly while the program ends: the thread of the store takes its write locks
// 20 ms late, and the exit handlers go on for half a second after all others. A write lock that was
// destroyed in between aborts the program.
//
// OpenSSL's cleanup at exit destroys locks and frees memory that the destructor of an ending thread
// still uses; OPENSSL_init_crypto(3) leaves it to the program to prevent that
// ("OPENSSL_INIT_NO_ATEXIT").
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { LOCKS = 4096 };
static _Atomic(pthread_rwlock_t *) destroyed[LOCKS];

static int isDestroyed(pthread_rwlock_t *lock) {
    for (int i = 0; i < LOCKS; i++)
        if (atomic_load(&destroyed[i]) == lock)
            return 1;
    return 0;
}

int pthread_rwlock_init(pthread_rwlock_t *lock, const pthread_rwlockattr_t *attributes) {
    int (*real)(pthread_rwlock_t *, const pthread_rwlockattr_t *) =
        (int (*)(pthread_rwlock_t *, const pthread_rwlockattr_t *))dlsym(RTLD_NEXT, "pthread_rwlock_init");
    for (int i = 0; i < LOCKS; i++)
        if (atomic_load(&destroyed[i]) == lock)
            atomic_store(&destroyed[i], NULL);
    return real(lock, attributes);
}

int pthread_rwlock_destroy(pthread_rwlock_t *lock) {
    for (int i = 0; i < LOCKS; i++) {
        pthread_rwlock_t *none = NULL;
        if (atomic_compare_exchange_strong(&destroyed[i], &none, lock))
            return 0;
    }
    abort();
}

int pthread_rwlock_wrlock(pthread_rwlock_t *lock) {
    int (*real)(pthread_rwlock_t *) = (int (*)(pthread_rwlock_t *))dlsym(RTLD_NEXT, "pthread_rwlock_wrlock");
    char name[16] = "";
    prctl(PR_GET_NAME, name);
    if (strcmp(name, "studyd-store") == 0) {
        usleep(20000);
        if (isDestroyed(lock))
            abort();
    }
    return real(lock);
}

static void last(void) { usleep(500000); }

__attribute__((constructor)) static void prepare(void) { atexit(last); }
