// SPDX-License-Identifier: Apache-2.0

/// What a lab gives to one device of a participant, on paper or over the telephone: the receiver takes the
/// first key that comes with it as that participant's, once.
///
/// 60 bits as twelve of Crockford's 32 digits (crockford.com/base32.html), in groups of four. Secret until it
/// was used. `study-receiver devices` makes it and `DeviceKeys` redeems it; on the device it is typed for
/// `studyd enroll` or is in the setup file of a takeover (`SetupFile`).
package struct EnrolmentCode: Sendable, Hashable {
    /// HTTP header field, signed with the request (`SignatureProfile`).
    package static let field = "Studyd-Enrolment-Code"
    /// What the receiver's 401 has in that field where the signature is good and the code is not.
    package static let refused = "refused"
    private static let digits = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
    private static let length = 12
    /// `7K3M-Q0ZD-WX5B`.
    package let text: String

    private init(_ code: [Character]) {
        text = stride(from: 0, to: Self.length, by: 4).map { String(code[$0..<($0 + 4)]) }.joined(separator: "-")
    }

    package init(using generator: inout some RandomNumberGenerator) {
        self.init((0..<Self.length).map { _ in Self.digits[Int.random(in: 0..<32, using: &generator)] })
    }

    /// As somebody copied it: letters of any size, hyphens and spaces anywhere, I and L for 1, O for 0. Nil
    /// unless that is a code.
    package init?(_ typed: String) {
        guard typed.utf8.count <= 64 else { return nil }
        let code = typed.uppercased().filter { $0 != "-" && $0 != " " }
            .map { "IL".contains($0) ? "1" : $0 == "O" ? "0" : $0 }
        guard code.count == Self.length, code.allSatisfy(Self.digits.contains) else { return nil }
        self.init(code)
    }
}
