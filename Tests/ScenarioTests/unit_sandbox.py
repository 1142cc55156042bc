#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""unit_sandbox.py CALLS -- COMMAND...: becomes COMMAND under what systemd sets up for SystemCallFilter=, SystemCallErrorNumber=EPERM, MemoryDenyWriteExecute=yes and
NoNewPrivileges=yes of a unit. CALLS is a file with the names of the calls that are allowed, one a line; whatever else is called fails with EPERM.

By libseccomp, as systemd does it, and for memory the rules of its src/shared/seccomp-util.c (seccomp_memory_deny_write_execute): mmap with PROT_WRITE and PROT_EXEC
together, mprotect and pkey_mprotect with PROT_EXEC, shmat with SHM_EXEC. PR_SET_MDWE (Linux 6.3), which newer versions use, comes on top where the kernel has it."""
import ctypes, errno, os, sys

PR_SET_NO_NEW_PRIVS, PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN = 38, 65, 1
ALLOW, EPERM = 0x7FFF0000, 0x00050000 | errno.EPERM
MASKED_EQUAL = 7
PROT_WRITE, PROT_EXEC, SHM_EXEC = 2, 4, 0o100000


class Compare(ctypes.Structure):
    _fields_ = [("argument", ctypes.c_uint), ("operator", ctypes.c_int), ("mask", ctypes.c_uint64), ("value", ctypes.c_uint64)]


def without(argument, bits):
    return Compare(argument, MASKED_EQUAL, bits, 0)


def main():
    calls, command = sys.argv[1], sys.argv[3:]
    library = ctypes.CDLL("libseccomp.so.2")
    library.seccomp_init.restype = ctypes.c_void_p
    library.seccomp_init.argtypes = [ctypes.c_uint32]
    library.seccomp_rule_add_array.argtypes = [ctypes.c_void_p, ctypes.c_uint32, ctypes.c_int, ctypes.c_uint, ctypes.POINTER(Compare)]
    library.seccomp_load.argtypes = [ctypes.c_void_p]
    filter = library.seccomp_init(EPERM)
    limited = {
        "mmap": [without(2, PROT_EXEC), without(2, PROT_WRITE)], "mprotect": [without(2, PROT_EXEC)],
        "pkey_mprotect": [without(2, PROT_EXEC)], "shmat": [without(2, SHM_EXEC)],
    }
    for name in open(calls).read().split():
        number = library.seccomp_syscall_resolve_name(name.encode())
        for rule in limited.get(name, [None]):
            rules = (Compare * 1)(rule) if rule else None
            # Calls that this machine does not have are no calls.
            if number >= 0 and library.seccomp_rule_add_array(filter, ALLOW, number, 1 if rule else 0, rules) != 0:
                sys.exit(f"no rule for {name}")
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        sys.exit("PR_SET_NO_NEW_PRIVS is refused")
    libc.prctl(PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN, 0, 0, 0)
    if library.seccomp_load(filter) != 0:
        sys.exit("the filter is refused")
    os.execv(command[0], command)


main()
