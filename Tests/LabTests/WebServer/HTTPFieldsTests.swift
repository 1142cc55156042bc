// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Lab

/// Names of fields, and the members of their lists, by RFC 9110, 5.1 and 5.6.1.
@Suite struct HTTPFieldsTests {
    /// Names are compared whole and without regard to case, which ASCII alone has there: the last has a Kelvin sign.
    @Test(
        arguments: [
            ("Accept", "1"), ("accept", "1"), ("ACCEPT-ENCODING", "2"), ("Accept-", nil), ("Acc", nil), ("", nil),
            ("Accept-Encodings", nil), ("Cookie", "3"), ("Coo\u{212A}ie", nil), ("@ccept", nil),
        ] as [(String, String?)]) func aNameIsTheWholeName(name: String, value: String?)
    {
        for fields in [
            ["Accept-Encoding": "2", "Accept": "1", "Cookie": "3"],
            ["Cookie": "3", "Accept": "1", "Accept-Encoding": "2"],
        ] as [HTTPFields] {
            #expect(fields[name] == value, "\(name)")
        }
    }

    /// The first counts; setting one replaces all of its name and no other.
    @Test func settingAFieldReplacesAllOfItsName() {
        var fields: HTTPFields = ["Via": "a", "X-Via": "b", "via": "c"]
        #expect(fields["VIA"] == "a")
        fields["VIA"] = "d"
        #expect(fields.all.map { "\($0.name): \($0.value)" } == ["X-Via: b", "VIA: d"])
        fields["x-via"] = nil
        #expect(fields.all.map(\.name) == ["VIA"])
    }

    @Test(arguments: [
        ("close", true), ("Close", true), ("clos", false), ("closed", false), ("", false), ("keep-alive", true),
        ("upgrade", true), ("keep-alive, close", false), ("other", false),
    ]) func aTokenIsAWholeMemberOfTheList(token: String, isThere: Bool) {
        let fields: HTTPFields = [
            "Connection": "Keep-Alive ,\tclose", "X-Connection": "other", "connection": "upgrade",
        ]
        #expect(fields.list("Connection", contains: token) == isThere)
    }
}
