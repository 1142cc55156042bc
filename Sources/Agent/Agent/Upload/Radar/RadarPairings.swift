// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import SystemKit

/// The pairings of one `RadarDestination`, in a file of the state folder that only its owner can read.
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
