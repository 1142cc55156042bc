// SPDX-License-Identifier: Apache-2.0
//
// SQLite as Swift can call it: SQLITE_TRANSIENT is a cast and sqlite3_config and sqlite3_db_config are variadic.
#ifndef STUDYD_CSQLITE_SHIM_H
#define STUDYD_CSQLITE_SHIM_H

#include <sqlite3.h>

/// Binds a copy of a text of `length` bytes. Returns a result code.
static inline int studyd_sqlite_bind_text(sqlite3_stmt *_Nonnull statement, int index, const char *_Nonnull text,
                                          int length) {
    return sqlite3_bind_text(statement, index, text, length, SQLITE_TRANSIENT);
}

/// Binds a copy of `length` bytes; an empty blob where `length` is 0, never NULL. Returns a result code.
static inline int studyd_sqlite_bind_blob(sqlite3_stmt *_Nonnull statement, int index, const void *_Nullable bytes,
                                          int length) {
    return sqlite3_bind_blob(statement, index, bytes ? bytes : "", length, SQLITE_TRANSIENT);
}

#endif
