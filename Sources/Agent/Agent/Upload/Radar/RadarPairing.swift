// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import SystemKit

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

    /// The same without tokens, and with an enrolment that no device has, so that its code counts as used.
    fileprivate func retired() -> RadarPairing {
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

/// The pairings of one destination, in a file of the state folder that only its owner can read.
struct RadarPairings: Codable, Sendable, Hashable {
    /// Those that are kept, the newest last.
    private(set) var all: [RadarPairing] = []
    private static let most = 20

    func pairing(of enrolment: String) -> RadarPairing? { all.last { $0.enrolments.contains(enrolment) } }

    func pairing(by code: String) -> RadarPairing? { all.last { $0.code == code } }

    mutating func keep(_ pairing: RadarPairing) {
        if let place = all.firstIndex(where: { $0.code == pairing.code }) {
            all[place] = pairing
        } else {
            all = (all + [pairing]).suffix(Self.most)
        }
    }

    init() {}

    /// Reads the file; empty where there is none.
    init(in path: String) throws {
        guard access(path, F_OK) == 0 else { return }
        let text = try BoundedFile.text(path)
        do { self = try StoredJSON.value(Self.self, from: text) } catch {
            throw FileError(
                path: path, message: "is damaged",
                remedy: "remove it, and write a new enrolment code for the participant")
        }
    }

    /// For a device that is made ready for another person: of all files in that folder only which codes
    /// were used stays, so that none of them is taken for the next person's.
    static func retire(in folder: String) throws {
        for name in FolderListing.readable(folder) {
            let path = "\(folder)/\(name)"
            guard var pairings = try? RadarPairings(in: path) else {
                unlink(path)
                continue
            }
            pairings.all = pairings.all.map { $0.retired() }
            try pairings.write(to: path)
        }
    }

    /// Returns when it is on the disk.
    func write(to path: String) throws {
        if let slash = path.lastIndex(of: "/") { try File.makeFolder(String(path[..<slash])) }
        try AtomicFile.write(Array(try StoredJSON.text(self).utf8), to: path, mode: 0o600)
    }
}

/// What a token endpoint answers with (ManagementPortal `ClaimsTokenEnhancer`), or the body of the
/// token itself (Ory Hydra).
struct RadarToken: Sendable, Hashable {
    let access: String
    /// The new refresh token; nil where the old one stays valid.
    let refresh: String?
    /// Seconds that the access token is valid.
    let life: Int64
    let subject: String?

    init?(_ body: [UInt8]) {
        guard let node = try? JSONNode(body), let access = node["access_token"]?.text, !access.isEmpty else {
            return nil
        }
        self.access = access
        let claims = Self.claims(of: access)
        refresh = node["refresh_token"]?.text
        life = Self.seconds(node["expires_in"]) ?? 3600
        subject = (node["sub"] ?? claims?["sub"])?.text
    }

    /// Seconds as a server writes them: at most 8000 years, so that they can be reckoned with.
    static func seconds(_ node: JSONNode?) -> Int64? {
        node?.value.double.map { Int64(min(max($0.rounded(), 0), 253_402_300_799)) }
    }

    /// The body of a JSON Web Token (RFC 7519), unchecked: that is the server's matter. Nil for another
    /// token.
    static func claims(of token: String) -> JSONNode? {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        let plain = parts[1].replacing("-", with: "+").replacing("_", with: "/")
        let padded = plain + String(repeating: "=", count: (4 - plain.utf8.count % 4) % 4)
        return Base64.decoded(padded).flatMap { try? JSONNode($0) }
    }
}
