// SPDX-License-Identifier: Apache-2.0
import Glibc
import SystemKit

/// A folder with a study of FDA MyStudies that somebody may edit while it is served.
///
/// `study` is what it held when it was last whole: a file that cannot be read as JSON keeps its
/// last good content, and a folder that is no study any more keeps the last study.
struct MyStudiesFolder: Sendable {
    /// What tells a file from an earlier state of it.
    private struct Stamp: Hashable, Sendable {
        let seconds: Int
        let nanoseconds: Int
        let size: Int64
        let inode: UInt64
    }

    private let path: String
    /// The study as it was last whole.
    private(set) var study: MyStudiesStudy
    private var stamps: [String: Stamp]
    /// What was last said of the folder itself, which is not said at every look.
    private var complaint = ""
    private var files: [String: MyStudiesFile]

    /// Reads a folder; throws where it cannot be read, or where it or a file in it is not
    /// what it should be.
    init(_ path: String) throws {
        self.path = path
        let stamps = try Self.scan(path)
        files = try stamps.keys.reduce(into: [:]) { files, name in
            files[name] = try MyStudiesFile(path + "/" + name, name: name)
        }
        self.stamps = stamps
        study = try MyStudiesStudy(files, at: path)
    }

    /// Reads what has changed since the last look. True where `study` is another now; `report`
    /// hears what could not be taken.
    mutating func refresh(_ report: (String) -> Void) -> Bool {
        let now: [String: Stamp]
        do { now = try Self.scan(path) } catch {
            if complaint != "\(error)" { report("\(error): still serving study \(study.id) as it was") }
            complaint = "\(error)"
            return false
        }
        complaint = ""
        guard now != stamps else { return false }
        var files = files.filter { now[$0.key] != nil }
        for (name, stamp) in now where stamps[name] != stamp {
            do { files[name] = try MyStudiesFile(path + "/" + name, name: name) } catch {
                report("\(error): \(files[name] == nil ? "left out" : "still serving it as it was")")
            }
        }
        // Also where it is broken: the same broken file is reported once.
        stamps = now
        do { study = try MyStudiesStudy(files, at: path) } catch {
            report("\(error): still serving study \(study.id) as it was")
            return false
        }
        self.files = files
        return true
    }

    /// The files that matter, by name.
    private static func scan(_ path: String) throws -> [String: Stamp] {
        let names: [String]
        do {
            names = try FolderListing.names(in: path, where: MyStudiesFile.matters)
        } catch {
            throw MyStudiesFailure("\(error)")
        }
        var stamps: [String: Stamp] = [:]
        for name in names {
            guard let stamp = stamp(path + "/" + name) else { continue }
            stamps[name] = stamp
            guard stamps.count <= MyStudiesFile.most else {
                throw MyStudiesFailure("\(path) holds more than \(MyStudiesFile.most) files")
            }
        }
        return stamps
    }

    private static func stamp(_ path: String) -> Stamp? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Stamp(
            seconds: status.st_mtim.tv_sec, nanoseconds: status.st_mtim.tv_nsec, size: Int64(status.st_size),
            inode: UInt64(status.st_ino))
    }
}

/// One file of such a folder.
struct MyStudiesFile: Sendable {
    static let most = 2_000
    private static let largest = 8 << 20

    let bytes: [UInt8]
    /// Its JSON; nil for the lists of words, which are plain text.
    let root: JSONValue?

    /// True for names that a study's folder may have for us: JSON, and lists of words.
    static func matters(_ name: String) -> Bool {
        !name.hasPrefix(".") && (name.hasSuffix(".json") || name == "tokens.txt" || name == "withdrawn.txt")
    }

    /// Reads a file; throws where it is no JSON though it should be.
    init(_ path: String, name: String) throws {
        let bytes = try Self.read(path)
        guard name.hasSuffix(".json") else {
            (self.bytes, root) = (bytes, nil)
            return
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw MyStudiesFailure("\(path) is not UTF-8")
        }
        do { root = try JSONReader.value(text, depthLimit: 64) } catch { throw MyStudiesFailure("\(path): \(error)") }
        self.bytes = bytes
    }

    /// The words of a plain text, in capitals.
    var words: Set<String> {
        Set(String(decoding: bytes, as: UTF8.self).uppercased().split(whereSeparator: \.isWhitespace).map(String.init))
    }

    private static func read(_ path: String) throws -> [UInt8] {
        var bytes: [UInt8] = []
        let isWhole = try File.forEachPiece(path) { piece in
            bytes += piece
            return bytes.count <= largest
        }
        guard isWhole else { throw MyStudiesFailure("\(path) has more than \(largest) bytes") }
        return bytes
    }
}
