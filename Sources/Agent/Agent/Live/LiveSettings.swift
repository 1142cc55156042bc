// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// `[mqtt]` of `studyd.toml`: the broker for live views, and what is published there.
package struct LiveSettings: Sendable, Hashable {
    /// What may be published; the raw value is what `publish` of the table names.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        case status, prompts, features, faults
        /// Only where the table names it.
        case answers
    }

    package let broker: BrokerAddress
    /// Nil = the broker is given no name and no password.
    private(set) var user: String?
    /// A file that only its owner can read, or a systemd credential; so is `key`.
    private(set) var password: String?
    /// Paths of PEM files: of the CA (nil = the system's), of the device's certificate, of its key (nil = none).
    private(set) var authority: String?
    private(set) var certificate: String?
    private(set) var key: String?
    /// The device's name in topics: a number from its machine id unless the table names it.
    private(set) var device = String(DeviceNumber.read(), radix: 16)
    private(set) var topic = "studyd"
    /// Where Home Assistant looks for devices; nil = it hears of none.
    private(set) var discovery: String? = "homeassistant"
    private(set) var publishes = Set(Kind.allCases).subtracting([.answers])
    /// From one status to the next, where nothing changes.
    private(set) var every = Duration.seconds(300)
    /// How long a connection is gone before the broker publishes that the device is silent.
    private(set) var silentAfter = Duration.seconds(30)
    /// From one sign of life to the next; after one and a half of it the broker counts the connection as lost, and
    /// `silentAfter` begins. The library takes no less than 5 s.
    var keepAlive: Duration { min(max(silentAfter, .seconds(5)), .seconds(60)) }

    package init(broker: BrokerAddress) { self.broker = broker }

    init(_ table: ConfigTable, isEncryptedAtRest: Bool) throws {
        let url = try table.required("url", table.string("url"))
        guard let broker = BrokerAddress(url) else {
            throw table.error(
                "url", "'\(url)' is not the address of a broker", remedy: "use one such as mqtts://lab.example:8883")
        }
        self.init(broker: broker)
        (user, password) = (try table.string("user"), try table.string("password"))
        authority = try table.string("ca_file")
        (certificate, key) = (try table.string("certificate_file"), try table.string("key_file"))
        device = try Self.level(table, "device") ?? device
        topic = try Self.path(table, "topic") ?? topic
        if let prefix = try table.string("discovery") {
            discovery = prefix.isEmpty ? nil : try Self.path(table, "discovery")
        }
        publishes = try Self.kinds(table, isEncryptedAtRest: isEncryptedAtRest) ?? publishes
        every = try table.duration("every", .seconds(10) ... .seconds(86_400), "from 10s to 24h") ?? every
        silentAfter = try table.duration("silent_after", .zero ... .seconds(3600), "from 0s to 1h") ?? silentAfter
        try checkPairs(table)
    }

    private func checkPairs(_ table: ConfigTable) throws {
        let pairs = [
            ("user", user, "password", password), ("certificate_file", certificate, "key_file", key),
            ("key_file", key, "certificate_file", certificate),
        ]
        for (name, value, other, partner) in pairs where value == nil && partner != nil {
            throw table.error(name, "is missing beside '\(other)'", remedy: "add it")
        }
        guard !broker.isEncrypted, authority != nil || certificate != nil else { return }
        throw table.error(
            "url", "certificates are of no use to \(broker)", remedy: "use mqtts://, or remove them")
    }

    private static func kinds(_ table: ConfigTable, isEncryptedAtRest: Bool) throws -> Set<Kind>? {
        guard let names = try table.strings("publish") else { return nil }
        let kinds = try names.map { name in
            guard let kind = Kind(rawValue: name) else {
                let known = Kind.allCases.map(\.rawValue).joined(separator: ", ")
                throw table.error("publish", "'\(name)' is not one of: \(known)")
            }
            return kind
        }
        guard !kinds.contains(.answers) || !isEncryptedAtRest else {
            throw table.error(
                "publish", "answers are sealed, and a broker would have them in the clear",
                remedy: "remove \"answers\", or [seal]")
        }
        return Set(kinds)
    }

    private static func level(_ table: ConfigTable, _ key: String) throws -> String? {
        guard let name = try table.string(key) else { return nil }
        guard LiveTopics.isLevel(name[...]) else {
            throw table.error(key, "'\(name)' is not a name of 1 to 60 letters, digits, _ and -")
        }
        return name
    }

    private static func path(_ table: ConfigTable, _ key: String) throws -> String? {
        guard let text = try table.string(key) else { return nil }
        let levels = text.split(separator: "/", omittingEmptySubsequences: false)
        guard levels.count <= 4, levels.allSatisfy(LiveTopics.isLevel) else {
            throw table.error(key, "'\(text)' is not a topic of 1 to 4 names of letters, digits, _ and -")
        }
        return text
    }
}
