// SPDX-License-Identifier: Apache-2.0
import Base
import Database

extension Archive {
    /// A session that has begun. Only digests of its secrets are kept.
    func begin(session auth: [UInt8], refresh: [UInt8], user: String, at now: Instant) throws {
        try connection.run("INSERT INTO session VALUES (?, ?, ?, ?)", auth, refresh, user, now.milliseconds)
    }

    /// Whose session it is and since when; nil for a secret that nobody was given.
    func session(_ auth: [UInt8]) throws -> (user: String, begun: Instant)? {
        try connection.first("SELECT user, begun FROM session WHERE auth = ?", auth) { row in
            (try row.string(0), Instant(milliseconds: try row.int(1)))
        }
    }

    /// Ends the session that `refresh` renews, and gives its user.
    func end(refresh: [UInt8]) throws -> String? {
        try connection.transaction {
            let user = try connection.first("SELECT user FROM session WHERE refresh = ?", refresh) { try $0.string(0) }
            try connection.run("DELETE FROM session WHERE refresh = ?", refresh)
            return user
        }
    }

    func end(session auth: [UInt8]) throws { try connection.run("DELETE FROM session WHERE auth = ?", auth) }

    /// What is kept of a user's study, and of an activity in it: with an empty activity, of
    /// the study itself.
    func userState(_ user: String, study: String, activity: String) throws -> JSONValue? {
        try connection.first(
            "SELECT data FROM userState WHERE user = ? AND study = ? AND activity = ?", user, study, activity
        ) { try JSONReader.value($0.string(0)) }
    }

    /// Bytes of everything that is kept of a user's studies and activities.
    func stateBytes(of user: String) throws -> Int64 {
        try connection.first(
            "SELECT coalesce(sum(length(CAST(data AS BLOB))), 0) FROM userState WHERE user = ?", user
        ) { try $0.int(0) } ?? 0
    }

    func keep(userState data: JSONValue, of user: String, study: String, activity: String) throws {
        try connection.run(
            """
            INSERT INTO userState VALUES (?, ?, ?, ?)
            ON CONFLICT (user, study, activity) DO UPDATE SET data = excluded.data
            """, user, study, activity, data.text)
    }

    func userStudies(_ user: String) throws -> [JSONValue] {
        try connection.rows(
            "SELECT data FROM userState WHERE user = ? AND activity = '' ORDER BY study", user
        ) { try JSONReader.value($0.string(0)) }
    }

    /// A user's activities in a study.
    func userActivities(_ user: String, study: String) throws -> [JSONValue] {
        try connection.rows(
            "SELECT data FROM userState WHERE user = ? AND study = ? AND activity <> '' ORDER BY activity", user, study
        ) { try JSONReader.value($0.string(0)) }
    }

    /// Forgets a user's activities in a study.
    func forgetActivities(of user: String, study: String) throws {
        try connection.run("DELETE FROM userState WHERE user = ? AND study = ? AND activity <> ''", user, study)
    }

    /// Everything that is kept of users, for people: by user, study and activity.
    func userStates() throws -> [JSONValue] {
        try connection.rows("SELECT user, study, activity, data FROM userState ORDER BY user, study, activity") { row in
            .members([
                "userId": .string(try row.string(0)), "studyId": .string(try row.string(1)),
                "activityId": .string(try row.string(2)), "state": try JSONReader.value(row.string(3)),
            ])
        }
    }
}
