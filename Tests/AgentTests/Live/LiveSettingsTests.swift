// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Agent

struct LiveSettingsTests {
    /// Ports: IANA's registry, secure-mqtt 8883 and mqtt 1883.
    @Test(arguments: [
        ("mqtts://lab.example", "mqtts://lab.example:8883"), ("mqtt://10.0.0.5/", "mqtt://10.0.0.5:1883"),
        ("mqtt://lab.example:1", "mqtt://lab.example:1"), ("mqtt://h:65535", "mqtt://h:65535"),
        ("mqtts://[2001:db8::1]", "mqtts://[2001:db8::1]:8883"), ("mqtt://[::1]:1884", "mqtt://[::1]:1884"),
    ])
    func anAddressHasTheUsualPorts(text: String, address: String) {
        #expect(BrokerAddress(text).map { "\($0)" } == address)
    }

    @Test(arguments: [
        "", "lab.example", "http://lab.example", "mqtt://", "mqtt://:1883", "mqtt://h:0", "mqtt://h:65536", "mqtt://h:",
        "mqtt://h/topic", "mqtt://user@h", "mqtt://[::1", "mqtt://[::1]1883",
    ])
    func whatIsNoAddressOfABrokerIsNone(text: String) { #expect(BrokerAddress(text) == nil) }

    private static func configuration(_ table: String, besides: String = "") throws -> AgentConfiguration {
        try AgentConfiguration(parsing: "board = 'b'\n\(besides)\n[mqtt]\n\(table)\n", file: "s.toml")
    }

    @Test func aTableIsReadWhole() throws {
        let table = """
            url = "mqtts://lab.example"
            user = "device-17"
            password = "mqtt"
            ca_file = "/etc/studyd/ca.pem"
            device = "shelf-3"
            topic = "lab/studyd"
            discovery = ""
            publish = ["status", "answers"]
            every = "10s"
            silent_after = "0s"
            """
        let mqtt = try #require(try Self.configuration(table).mqtt)
        #expect(mqtt.device == "shelf-3" && mqtt.topic == "lab/studyd" && mqtt.discovery == nil)
        #expect(mqtt.publishes == [.status, .answers] && mqtt.every == .seconds(10) && mqtt.silentAfter == .zero)
        let topics = LiveTopics(mqtt, study: "Sleep & movement")
        #expect(topics.base == "lab/studyd/Sleep---movement/shelf-3")
    }

    /// A broker waits for one and a half of it, before `silent_after` begins.
    @Test(arguments: [("0s", 5), ("5s", 5), ("10s", 10), ("30s", 30), ("60s", 60), ("1h", 60)])
    func signsOfLifeComeAsOftenAsSilenceIsToBeSeen(silence: String, seconds: Int64) throws {
        let mqtt = try #require(try Self.configuration("url = 'mqtt://h'\nsilent_after = '\(silence)'").mqtt)
        #expect(mqtt.keepAlive == .seconds(seconds))
    }

    /// Letters, digits, hyphen and underscore, and of the others the neighbours in ASCII; a level has at most 60.
    @Test(arguments: [
        ("azAZ09_-", "azAZ09_-"), ("`{@[/:^", "-------"), ("é", "--"), ("", "-"),
        (String(repeating: "x", count: 61), String(repeating: "x", count: 60)),
    ])
    func aStudysNameIsALevelOfATopic(name: String, level: String) throws {
        let mqtt = try #require(try Self.configuration("url = 'mqtt://h'\ndevice = 'd'\ntopic = 't'").mqtt)
        #expect(LiveTopics(mqtt, study: name).base == "t/\(level)/d")
    }

    @Test(arguments: [
        ("azAZ09_-", true), (String(repeating: "x", count: 60), true), (String(repeating: "x", count: 61), false),
        ("", false), ("a`", false), ("a{", false), ("a@", false), ("a[", false), ("a/", false), ("a:", false),
        ("a^", false), ("é", false),
    ])
    func aDevicesNameIsALevelOfATopic(name: String, isOne: Bool) {
        let mqtt = try? Self.configuration("url = 'mqtt://h'\ndevice = '\(name)'").mqtt
        #expect((mqtt?.device == name) == isOne)
    }

    @Test func leftOutNoAnswersAreShown() throws {
        let mqtt = try #require(try Self.configuration("url = 'mqtt://h'").mqtt)
        #expect(mqtt.publishes == [.status, .prompts, .features, .faults] && mqtt.discovery == "homeassistant")
    }

    @Test(arguments: [
        ("user = 'x'", "mqtt.url", "is missing"), ("url = 'h'", "mqtt.url", "not the address of a broker"),
        ("url = 'mqtt://h'\npassword = 'p'", "mqtt.user", "missing beside 'password'"),
        ("url = 'mqtts://h'\nkey_file = 'k'", "mqtt.certificate_file", "missing beside 'key_file'"),
        ("url = 'mqtts://h'\ncertificate_file = 'c'", "mqtt.key_file", "missing beside 'certificate_file'"),
        ("url = 'mqtt://h'\nca_file = 'c'", "mqtt.url", "certificates are of no use"),
        ("url = 'mqtt://h'\ncertificate_file = 'c'\nkey_file = 'k'", "mqtt.url", "certificates are of no use"),
        ("url = 'mqtt://h'\ndevice = 'a/b'", "mqtt.device", "1 to 60 letters"),
        ("url = 'mqtt://h'\ntopic = 'a/+'", "mqtt.topic", "1 to 4 names"),
        ("url = 'mqtt://h'\npublish = ['all']", "mqtt.publish", "not one of: status, prompts"),
        ("url = 'mqtt://h'\nevery = '9s'", "mqtt.every", "from 10s to 24h"),
        ("url = 'mqtt://h'\nsilent_after = '61m'", "mqtt.silent_after", "from 0s to 1h"),
        ("url = 'mqtt://h'\nqos = 2", "mqtt.qos", "unknown key"),
    ])
    func aMistakeIsNamedWithItsPlace(table: String, place: String, words: String) {
        let error = #expect(throws: ConfigError.self) { try Self.configuration(table) }
        #expect(
            error.map { "\($0)".contains(place) && "\($0)".contains(words) } == true, "\(error.map { "\($0)" } ?? "")")
    }

    /// A broker would have in the clear what is sealed to the lab.
    @Test func sealedAnswersAreNotShown() {
        let seal = "[seal]\nrecipients = ['age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p']"
        let error = #expect(throws: ConfigError.self) {
            try Self.configuration("url = 'mqtt://h'\npublish = ['answers']", besides: seal)
        }
        #expect(error?.cause.contains("sealed") == true)
    }
}
