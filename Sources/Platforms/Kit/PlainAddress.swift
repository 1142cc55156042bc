// SPDX-License-Identifier: Apache-2.0

/// An address that is used without TLS: anyone in between can read what goes there, and change what comes from
/// there. `EnrolmentAddresses` warns of it when a device is enrolled.
package enum PlainAddress {
    /// What the person who enrols must know of it; nil for https, and for this device itself (RFC
    /// 6761 §6.3, RFC 5735: `localhost`, 127.0.0.0/8, ::1).
    package static func remark(_ url: String, for what: String) -> String? {
        let text = url.lowercased()
        guard text.hasPrefix("http://") else { return nil }
        let authority = text.dropFirst(7).prefix { !"/?#\\".contains($0) }
        let place = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        let host = place.hasPrefix("[") ? place.prefix { $0 != "]" }.dropFirst() : place.prefix { $0 != ":" }
        let isOwn = host.hasPrefix("127.") && host.allSatisfy { "0123456789.".contains($0) }
        if host == "localhost" || host == "::1" || isOwn { return nil }
        // A password in the address is not to be printed; path and query are.
        let shown = "http://" + place + String(decoding: url.utf8.dropFirst(7 + authority.utf8.count), as: UTF8.self)
        return
            "WARNING \(what) without encryption to \(PostAddress.trimmed(shown).prefix(200)): anyone on the network can read and change it; use https"
    }
}
