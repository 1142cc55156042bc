// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import SystemKit
import Testing

@testable import Agent

@Suite struct WiFiFileTests {
    private static let python = getenv("STUDYD_PYTHON").map { String(cString: $0) } ?? "python3"
    private static let hasYAML: Bool = {
        let answer = try? BoundedProgram(name: python, arguments: ["-c", "import yaml"]).run(
            input: [], limit: .seconds(60))
        if answer?.status == 0 { return true }
        print("SKIPPED: PyYAML is not installed; STUDYD_PYTHON may name a Python that has it")
        return false
    }()

    /// PyYAML, which cloud-init reads it with, finds name and password as they were given, at the
    /// places of netplan's format.
    @Test(
        .enabled(if: hasYAML),
        arguments: [
            ("lab", "a secret"), ("Café \"5G\": #1", "back\\slash \"quoted\""), ("yes", "12345678"),
            ("- x", "it's: {so} ~ %!"),
        ])
    func namesAndPasswordsAreReadAsTheyWereGiven(_ name: String, _ password: String) throws {
        let text = try WiFiFile(name: name, password: password, country: "DE").text
        let script = """
            import sys, yaml
            network = yaml.safe_load(sys.stdin.buffer.read().decode())["network"]
            w = network["wifis"]["wlan0"]
            (n, p), = w["access-points"].items()
            print(n, p["password"], w["regulatory-domain"], w["optional"], network["ethernets"], sep="\\n")
            """
        let (status, output) = try BoundedProgram(name: Self.python, arguments: ["-c", script]).run(
            input: Array(text.utf8), limit: .seconds(60))
        #expect(status == 0, "\(output)")
        // As raspberrypi/rpi-imager 72ad1179 writes it beside a Wi-Fi (src/customization_generator.cpp:842).
        let cable = "{'eth0': {'dhcp4': True, 'dhcp6': True, 'optional': True}}"
        #expect(output == "\(name)\n\(password)\nDE\nTrue\n\(cable)\n")
    }

    /// IEEE 802.11: 1 to 32 bytes; WPA passphrases 8 to 63 characters, or 64 hexadecimal digits.
    @Test(arguments: [
        ("", "12345678", WiFiError.name), (String(repeating: "é", count: 17), "12345678", .name),
        ("a", "1234567", .password), ("a", String(repeating: "x", count: 64), .password), ("a", "pässword", .password),
    ])
    func whatNoWiFiCanHaveIsRefused(_ name: String, _ password: String, _ error: WiFiError) {
        #expect(throws: error) { try WiFiFile(name: name, password: password, country: nil) }
    }

    /// What only needs quotes is one spelling; of another the system's files may have several.
    @Test(
        arguments: [
            ("lab", "lab"), ("Ward 3_b-1.x", "Ward 3_b-1.x"), ("it's", nil), ("Café", nil), ("a\"b", nil), ("a:b", nil),
        ] as [(String, String?)])
    func thePlainNameOfAFileOfOursIsRead(_ name: String, _ read: String?) throws {
        for country in [nil, "DE"] {
            let text = try WiFiFile(name: name, password: "12345678", country: country).text
            #expect(WiFiFile.name(in: text) == read, "\(text)")
            #expect(WiFiFile.name(in: "#\n" + text) == nil, "another's file")
        }
        #expect(WiFiFile.name(in: WiFiFile.mark + "\n      access-points:\n") == nil)
    }

    @Test func theLimitsThemselvesAreTaken() throws {
        for password in [8, 63].map({ String(repeating: "x", count: $0) }) + [String(repeating: "a", count: 64)] {
            _ = try WiFiFile(name: String(repeating: "é", count: 16), password: password, country: nil)
        }
        #expect(throws: WiFiError.country) { try WiFiFile(name: "a", password: "12345678", country: "de") }
    }
}
