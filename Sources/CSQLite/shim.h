// SPDX-License-Identifier: Apache-2.0
//
// SQLite as Swift can call it: SQLITE_TRANSIENT is a cast and sqlite3_config and
// sqlite3_db_config are variadic.
#ifndef STUDYD_CSQLITE_SHIM_H
#define STUDYD_CSQLITE_SHIM_H

#include <sqlite3.h>

/// Binds a copy of a text of `length` bytes. Returns a result code.
static inline int studyd_sqlite_bind_text(sqlite3_stmt *_Nonnull statement, int index, const char *_Nonnull text,
                                          int length) {
    return sqlite3_bind_text(statement, index, text, length, SQLITE_TRANSIENT);
}

/// Binds a copy of `length` bytes; an empty blob where `length` is 0, never NULL.
/// Returns a result code.
static inline int studyd_sqlite_bind_blob(sqlite3_stmt *_Nonnull statement, int index, const void *_Nullable bytes,
                                          int length) {
    return sqlite3_bind_blob(statement, index, bytes ? bytes : "", length, SQLITE_TRANSIENT);
}

/// With `keeps` = 1 the write-ahead log is left alone when the connection is closed.
/// Returns a result code.
static inline int studyd_sqlite_keep_log(sqlite3 *_Nonnull connection, int keeps) {
    return sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, keeps, (int *)0);
}

/// Returns when the write-ahead log (the journal, where there is none) is on the disk, without
/// writing to it. Returns a result code.
static inline int studyd_sqlite_sync_log(sqlite3 *_Nonnull connection) {
    sqlite3_file *file = (sqlite3_file *)0;
    int code = sqlite3_file_control(connection, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file);
    // In memory there is no such file, and before the first transaction it is not open.
    if (code != SQLITE_OK || !file || !file->pMethods) return code;
    return file->pMethods->xSync(file, SQLITE_SYNC_NORMAL);
}

#endif
