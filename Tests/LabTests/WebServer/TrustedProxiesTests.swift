// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Lab

/// `X-Forwarded-For` as nginx and Apache write it: each proxy appends the address
/// of its own client.
@Suite struct TrustedProxiesTests {
    private let proxies = TrustedProxies(["127.0.0.1", "10.0.0.2"])

    @Test(arguments: [
        ("127.0.0.1", ["192.0.2.7"], "192.0.2.7"),
        // What stands before the last was said by the client itself.
        ("127.0.0.1", ["198.51.100.1, 192.0.2.7"], "192.0.2.7"),
        ("127.0.0.1", ["198.51.100.1", "192.0.2.7"], "192.0.2.7"),
        ("127.0.0.1", ["192.0.2.7, 10.0.0.2"], "192.0.2.7"), ("127.0.0.1", ["2001:db8::7"], "2001:db8::7"),
        ("127.0.0.1", ["::ffff:192.0.2.7"], "192.0.2.7"), ("127.0.0.1", [], "127.0.0.1"),
        ("127.0.0.1", ["unknown"], "127.0.0.1"), ("127.0.0.1", ["<script>"], "127.0.0.1"),
        // Anybody can write such a field.
        ("192.0.2.9", ["192.0.2.7"], "192.0.2.9"),
    ])
    func theClientIsWhomTheTrustedProxyNames(peer: String, field: [String], client: String) {
        var fields = HTTPFields(field.map { (name: "X-Forwarded-For", value: $0) })
        #expect(proxies.origin(of: peer, fields).client == client)
        fields["X-Forwarded-Proto"] = "https"
        #expect(proxies.origin(of: peer, fields).isSecure == (peer == "127.0.0.1"))
    }

    /// A proxy on this machine makes everybody's requests look like this machine's, named or not.
    @Test(arguments: [("X-Forwarded-For", "127.0.0.1"), ("Forwarded", "for=127.0.0.1"), ("Via", "1.1 proxy")])
    func whatAProxyPassedOnIsNotOfThisMachine(name: String, value: String) {
        for proxies in [proxies, TrustedProxies([])] {
            #expect(proxies.origin(of: "127.0.0.1", [:]).isLoopback && proxies.origin(of: "::1", [:]).isLoopback)
            #expect(!proxies.origin(of: "127.0.0.1", HTTPFields([(name: name, value: value)])).isLoopback)
        }
        #expect(!proxies.origin(of: "192.0.2.9", [:]).isLoopback)
    }

    @Test func aProxysConnectionHasNoOwnerUntilARequestComes() {
        #expect(proxies.owner(of: "10.0.0.2").isEmpty && proxies.owner(of: "10.0.0.3") == "10.0.0.3")
        #expect(TrustedProxies.plain("::ffff:10.0.0.2") == "10.0.0.2" && TrustedProxies.plain("::ffff:1") == "::ffff:1")
    }

    @Test(arguments: [("127.0.0.1", true), ("::1", true), ("localhost", false), ("", false), ("1.2.3", false)])
    func addressesAreNumbers(text: String, isOne: Bool) { #expect(TrustedProxies.isAddress(text) == isOne) }
}
