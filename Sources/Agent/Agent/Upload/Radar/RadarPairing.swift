// SPDX-License-Identifier: Apache-2.0
import Base

/// What one enrolment code was exchanged for: a participant (`subject`) of the platform, and tokens. Kept in
/// a file by `RadarPairings`.
struct RadarPairing: Codable, Sendable, Hashable {
    /// SHA-256 of the code's text.
    let code: String
    /// Tokens come from an Ory Hydra, not from ManagementPortal itself.
    let isHydra: Bool
    /// The refresh token; empty once the device was handed over.
    var refresh: String
    /// The access token; nil = to be fetched.
    var access: String?
    /// When the access token ends, and from when on it is renewed, in seconds since 1970.
    var expiry: Int64 = 0
    var renewal: Int64 = 0
    /// Seconds since 1970 at which the refresh token ends.
    var end: Int64
    /// ManagementPortal's names of the participant, of the project, and of this device (its source); nil = not
    /// known yet.
    var subject: String?
    var project: String?
    var source: String?
    /// The source was registered after the access token was made, which does not name it.
    var isSourceNew = false
    /// The enrolments of this device that send by this pairing; no other one may, so that no data go under
    /// another participant's name.
    var enrolments: [String] = []

    init(code: String, isHydra: Bool, refresh: String, at now: Instant) {
        (self.code, self.isHydra, self.refresh) = (code, isHydra, refresh)
        end = Self.end(of: refresh, at: now)
    }

    /// Takes the tokens of an answer, which count from `now`.
    mutating func take(_ token: RadarToken, at now: Instant) {
        access = token.access
        expiry = now.seconds + token.life
        // Half an hour before it ends, as aRMT does it.
        renewal = now.seconds + max(token.life - 1800, token.life / 2)
        if let new = token.refresh {
            if new != refresh { end = Self.end(of: new, at: now) }
            refresh = new
        }
        subject = token.subject ?? subject
        isSourceNew = false
    }

    /// The same without tokens, and with an enrolment that no device has, so that its code counts as used.
    func retired() -> RadarPairing {
        var empty = RadarPairing(code: code, isHydra: isHydra, refresh: "", at: .epoch)
        empty.enrolments = ["handed over"]
        return empty
    }

    /// When a refresh token ends: what it says itself, or in 92 days (`oauth_client_details.csv` of
    /// ManagementPortal).
    static func end(of refresh: String, at now: Instant) -> Int64 {
        RadarToken.seconds(RadarToken.claims(of: refresh)?["exp"]) ?? now.seconds + 92 * 86_400
    }

    /// Whether the access token can be used as it is. Where now is more than 92 days before `renewal`, the clock was
    /// set back, and the token's age is unknown.
    func isFresh(at now: Instant) -> Bool {
        access != nil && now.seconds < renewal && now.seconds > renewal - 92 * 86_400
    }
}
