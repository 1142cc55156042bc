// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import SystemKit

/// The public keys of devices, by the name of the participant they speak for: in `devices.sqlite` of the data
/// folder, where the server and `study-receiver devices` read and write side by side. `DeviceGate` has it
/// decide on each request of a device.
actor DeviceKeys {
    enum State: String, Sendable {
        /// Accepted because it was the first in its name (`DeviceKeyMode.pin`).
        case pinned
        case approved
        /// Seen in a request that was refused; good once the lab approves it.
        case waiting
        case revoked

        var isGood: Bool { self == .pinned || self == .approved }
    }

    /// A key; one with an empty `key` revokes the whole name.
    struct Row: Sendable, Hashable {
        let user: String
        /// 64 hexadecimal digits in lower case.
        let key: String
        let state: State
        let first: Instant
        /// When it was last used, to the hour; of an empty `key` when the name was revoked.
        let last: Instant
    }

    private let connection: Connection
    private let codes: EnrolmentCodes
    /// Limits, so that strangers cannot fill the disk with keys.
    private static let mostPinned: Int64 = 10_000
    private static let mostWaiting = 1000
    private static let mostWaitingOfOne = 10

    init(_ location: Connection.Location) throws {
        connection = try Connection(location)
        try Schema(
            version: 1,
            """
            CREATE TABLE key (
                user TEXT NOT NULL, key TEXT NOT NULL, state TEXT NOT NULL, first INTEGER NOT NULL,
                last INTEGER NOT NULL, PRIMARY KEY (user, key)
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX keyByState ON key (state, last);
            """
        ).prepare(connection)
        codes = try EnrolmentCodes(connection)
    }

    /// Revoked keys stay, so that the participant's devices are refused, but not when they came and were used.
    static let participantRows = ParticipantRows(
        "devices.sqlite", names: ["key": "user", "code": "user"],
        [
            .init(
                "key", "key", where: "user = ?1 AND state <> 'revoked'",
                instead: """
                    UPDATE key SET first = latest, last = latest
                    FROM (SELECT max(last) AS latest FROM key WHERE user = ?1) WHERE user = ?1
                    """),
            .init("code", "code"),
        ])

    private static let columns = "SELECT user, key, state, first, last FROM key"

    private static func row(_ row: Database.Row) throws -> Row {
        Row(
            user: try row.string(0), key: try row.string(1), state: State(rawValue: try row.string(2)) ?? .revoked,
            first: Instant(milliseconds: try row.int(3)), last: Instant(milliseconds: try row.int(4)))
    }

    /// By participant, the earliest first.
    func list() throws -> [Row] { try connection.rows(Self.columns + " ORDER BY user, first, key", read: Self.row) }

    func rows(of user: String) throws -> [Row] {
        try connection.rows(Self.columns + " WHERE user = ? ORDER BY first", user, read: Self.row)
    }

    // MARK: Requests

    /// Decides about a request in that name that was signed with that key, or with none, and `code` with it.
    func admit(
        _ key: String?, for user: String, mode: DeviceKeyMode, code: EnrolmentCode? = nil, at now: Instant
    ) throws -> DeviceKeyDecision {
        if let key, let code { try redeem(code, user, key, now) }
        let known = try rows(of: user)
        let decision = DeviceKeyDecision(mode, known: known, key: key, isNamed: !user.isEmpty)
        guard let key else { return decision }
        let isNew = !known.contains { $0.key == key && $0.state != .waiting }
        switch decision {
        case .pin: return .admit(isKeyed: try pin(key, user, now))
        case .unknown where !user.isEmpty, .revoked where isNew: try noteWaiting(key, user, now)
        case .admit(true): try noteUse(key, user, now)
        default: break
        }
        return decision
    }

    /// A key that is known already keeps its state, and the code stays good: no code brings a revoked one back.
    private func redeem(_ code: EnrolmentCode, _ user: String, _ key: String, _ now: Instant) throws {
        try connection.transaction {
            let isOpen = try rows(of: user).allSatisfy { $0.key != key || $0.state == .waiting }
            if isOpen, try codes.redeem(code, for: user, at: now) { try noteApproved(user, key, at: now) }
        }
    }

    private func pin(_ key: String, _ user: String, _ now: Instant) throws -> Bool {
        let count =
            try connection.first("SELECT count(*) FROM key WHERE state = 'pinned'", read: { try $0.int(0) }) ?? 0
        guard count < Self.mostPinned else { return false }
        try connection.run(
            "INSERT OR REPLACE INTO key VALUES (?, ?, 'pinned', ?, ?)", user, key, now.milliseconds, now.milliseconds
        )
        return true
    }

    private func noteWaiting(_ key: String, _ user: String, _ now: Instant) throws {
        try connection.transaction(flushing: false) {
            try connection.run(
                "INSERT INTO key VALUES (?, ?, 'waiting', ?3, ?3) ON CONFLICT (user, key) DO UPDATE SET last = ?3",
                user, key, now.milliseconds)
            try connection.run(
                """
                DELETE FROM key WHERE state = 'waiting' AND user = ?1 AND key NOT IN
                (SELECT key FROM key WHERE state = 'waiting' AND user = ?1 ORDER BY last DESC LIMIT ?2)
                """, user, Self.mostWaitingOfOne)
            try connection.run(
                """
                DELETE FROM key WHERE state = 'waiting' AND last <
                (SELECT last FROM key WHERE state = 'waiting' ORDER BY last DESC LIMIT 1 OFFSET ?)
                """, Self.mostWaiting - 1)
        }
    }

    /// Notes the use of a key, once an hour at most: a recording in a hundred pieces is one use.
    private func noteUse(_ key: String, _ user: String, _ now: Instant) throws {
        _ = try connection.transaction(flushing: false) {
            try connection.run(
                "UPDATE key SET last = ?3 WHERE user = ?1 AND key = ?2 AND last < ?3 - 3600000", user, key,
                now.milliseconds)
        }
    }

    /// Whether a good key is known for this name; then what strangers send in it takes no room from the
    /// files of its device (`Quota`).
    func hasGoodKey(_ user: String) throws -> Bool { try rows(of: user).contains { $0.state.isGood } }

    /// Whether the name is refused to everybody who has no good key, in every mode.
    func isRevoked(_ user: String) throws -> Bool {
        DeviceKeyDecision(.off, known: try rows(of: user), key: nil) == .revoked
    }

    /// Names to warn about: revoked ones, and those with a good key in which another key was seen.
    func warnings() throws -> [String: KeyWarning] {
        var warnings: [String: KeyWarning] = [:]
        for row in try connection.rows(Self.columns + " WHERE state IN ('waiting', 'revoked')", read: Self.row) {
            if row.state == .revoked, row.key.isEmpty { warnings[row.user, default: KeyWarning()].revoked = row.last }
            if row.state == .waiting, try hasGoodKey(row.user) {
                let latest = max(row.last, warnings[row.user]?.foreignKey ?? row.last)
                warnings[row.user, default: KeyWarning()].foreignKey = latest
            }
        }
        return warnings
    }

    // MARK: What the lab decides

    static let leastDigits = 8

    /// Whether the text can be the beginning of a key, long enough to approve one by it.
    static func isBeginning(_ key: String) -> Bool {
        (leastDigits...64).contains(key.utf8.count) && key.allSatisfy(\.isHexDigit)
    }

    /// Approves the keys of the name that wait or, where `key` is given, the one that begins with it.
    /// Returns how many there are; of several that begin so none is approved.
    func approve(_ user: String, key: String?, at now: Instant) throws -> Int {
        let found = try rows(of: user).filter { row in
            !row.key.isEmpty && (key.map { row.key.hasPrefix($0.lowercased()) } ?? (row.state == .waiting))
        }
        guard key == nil || found.count < 2 else { return found.count }
        try connection.transaction { for row in found { try noteApproved(user, row.key, at: now) } }
        return found.count
    }

    /// Takes back the revocation of a name without a key, as of who sends by ESMira or Bridge alone. False where there
    /// is none.
    func reopen(_ user: String) throws -> Bool {
        guard try rows(of: user).allSatisfy(\.key.isEmpty) else { return false }
        return try connection.run("DELETE FROM key WHERE user = ?", user) > 0
    }

    /// Approves keys that devices were given before they first send. One that was revoked stays so, lest a list that
    /// is imported again lets in a lost device. Returns the names with such a key.
    @discardableResult func add(_ keys: [(user: String, key: String)], at now: Instant) throws -> [String] {
        try connection.transaction {
            try keys.compactMap { user, key -> String? in
                if try rows(of: user).contains(where: { $0.key == key && $0.state == .revoked }) { return user }
                try noteApproved(user, key, at: now)
                return nil
            }
        }
    }

    /// A new code for each of these participants, in their order.
    func giveCodes(to users: [String], until: Instant) throws -> [EnrolmentCode] {
        var generator = SystemRandomNumberGenerator()
        return try connection.transaction {
            try users.map { user in
                let code = EnrolmentCode(using: &generator)
                try codes.add(code, for: user, until: until)
                return code
            }
        }
    }

    /// Those that were not used yet and are still good.
    func openCodes(at now: Instant) throws -> [EnrolmentCodes.Open] { try codes.open(at: now) }

    private func noteApproved(_ user: String, _ key: String, at now: Instant) throws {
        try connection.run(
            """
            INSERT INTO key VALUES (?, ?, 'approved', ?3, ?3) ON CONFLICT (user, key) DO UPDATE SET state = 'approved'
            """, user, key, now.milliseconds)
        try connection.run("DELETE FROM key WHERE user = ? AND key = ''", user)
    }

    /// Removes the keys of a name except revoked ones, so that a stolen device stays refused.
    func forget(_ user: String) throws -> (removed: Int, isRevoked: Bool) {
        let removed = try connection.run("DELETE FROM key WHERE user = ? AND state <> 'revoked'", user)
        return (removed, try !rows(of: user).isEmpty)
    }

    /// Revokes every key of a name, and the name until another key is approved.
    func revoke(_ user: String, at now: Instant) throws {
        try connection.transaction {
            try connection.run("UPDATE key SET state = 'revoked' WHERE user = ?", user)
            try connection.run("INSERT OR REPLACE INTO key VALUES (?, '', 'revoked', ?2, ?2)", user, now.milliseconds)
            try codes.withdraw(user)
        }
    }
}

/// Why the keys of a participant's name need a look; `FleetRules` makes `Attention` of it.
struct KeyWarning: Sendable, Hashable {
    /// When the name was revoked.
    var revoked: Instant?
    /// When a key was last used that is not this name's.
    var foreignKey: Instant?
}
