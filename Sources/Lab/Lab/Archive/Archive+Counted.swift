// SPDX-License-Identifier: Apache-2.0

/// What descriptions of recordings tell of enrolments and of the time that was measured.
extension Archive {
    static let counted = """
        CREATE TABLE enrolled (
            user TEXT PRIMARY KEY, enrolment TEXT NOT NULL, study TEXT NOT NULL, moment INTEGER, channels TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE covered (
            user TEXT NOT NULL, kind TEXT NOT NULL, reason TEXT NOT NULL, milliseconds INTEGER NOT NULL,
            PRIMARY KEY (user, kind, reason)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE coveredSpan (
            user TEXT NOT NULL, kind TEXT NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,
            PRIMARY KEY (user, kind)
        ) STRICT, WITHOUT ROWID;
        """
}
