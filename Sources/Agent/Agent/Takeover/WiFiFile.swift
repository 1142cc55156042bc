// SPDX-License-Identifier: Apache-2.0
import Base
import SystemKit

/// `network-config` on the boot partition, by which cloud-init (Raspberry Pi OS since October
/// 2025) learns of a Wi-Fi: netplan's format, version 2. `studyd provision` writes it for each participant in its list
/// who has a Wi-Fi; a takeover wipes it.
package struct WiFiFile: Sendable, Hashable {
    /// The first line, by which studyd recognises a file that it wrote itself.
    package static let mark = "# Wi-Fi of a study device, written by 'studyd provision'"
    private let name: String
    private let password: String
    /// Two letters, without which a Raspberry Pi's radio stays off; nil = not said.
    private let country: String?

    /// Throws for values that no Wi-Fi can have: IEEE 802.11 names have 1 to 32 bytes, WPA passphrases 8 to
    /// 63 ASCII characters, or a key has 64 hexadecimal digits.
    package init(name: String, password: String, country: String?) throws(WiFiError) {
        guard (1...32).contains(name.utf8.count) else { throw .name }
        let isPassphrase =
            (8...63).contains(password.utf8.count) && password.utf8.allSatisfy { (32...126).contains($0) }
        let isKey = password.utf8.count == 64 && [UInt8](hexadecimal: password) != nil
        guard isPassphrase || isKey else { throw .password }
        if let country {
            guard country.utf8.count == 2, country.allSatisfy({ $0.isASCII && $0.isUppercase }) else { throw .country }
        }
        (self.name, self.password, self.country) = (name, password, country)
    }

    /// The name of the Wi-Fi in a file of ours; nil in any other file, and where it may be spelled in several ways.
    static func name(in text: String) -> String? {
        let lines = text.split(whereSeparator: \.isNewline)
        guard lines.first == mark[...], let list = lines.firstIndex(where: { $0.hasSuffix(" access-points:") }),
            lines.index(after: list) < lines.endIndex
        else { return nil }
        let key = String(lines[lines.index(after: list)].drop { $0 == " " }.dropLast())
        let name = key.filter { $0 != "\"" }
        let isPlain = name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || " -_.".contains($0)) }
        return isPlain && !name.isEmpty ? name : nil
    }

    /// Removes the file at `path` so that its password is gone, where it is ours.
    static func wipe(_ path: String) throws(FileError) {
        if let text = try? BoundedFile.text(path), text.hasPrefix(mark) { try SecretWipe.wipe(path) }
    }

    /// The file's text. It configures the cable too, since it replaces the system's own network settings.
    package var text: String {
        let quoted = ConfigurationDraft.quoted
        let region = country.map { "      regulatory-domain: \(quoted($0))\n" } ?? ""
        return """
            \(Self.mark)
            network:
              version: 2
              ethernets:
                eth0:
                  dhcp4: true
                  dhcp6: true
                  optional: true
              wifis:
                wlan0:
                  dhcp4: true
                  optional: true
            \(region)      access-points:
                    \(quoted(name)):
                      password: \(quoted(password))

            """
    }
}

package enum WiFiError: ExplainedError, Sendable, Hashable {
    case name, password, country

    /// Without the password itself.
    package var explanation: Explanation {
        switch self {
        case .name: Explanation(cause: "the name of a Wi-Fi has 1 to 32 bytes")
        case .password: Explanation(cause: "the password of a Wi-Fi has 8 to 63 letters, digits and signs of ASCII")
        case .country: Explanation(cause: "not a country", remedy: "write its two capital letters, e.g. DE")
        }
    }
}
