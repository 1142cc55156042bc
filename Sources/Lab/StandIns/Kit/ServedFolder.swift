// SPDX-License-Identifier: Apache-2.0
import Lab
import SystemKit

/// A folder, or one file, that may be edited while it is served: `ESMiraStudyFolder` and `MyStudiesRepository`
/// have one for each path and refresh it at each request. A file that cannot be read keeps its last good
/// content, and a folder that no longer holds a study keeps its last one.
struct ServedFolder<File: Sendable, Whole: Sendable>: Sendable {
    let path: String
    /// Which file names of a folder are read.
    private let isRead: @Sendable (String) -> Bool
    private let parse: @Sendable (_ path: String, [UInt8]) throws -> File
    private let join: @Sendable (_ files: [String: File]) throws -> Whole
    private var stamps: [String: FileStamp]
    /// The last good content of each file, by path.
    private var files: [String: File]
    /// The last error of the folder itself that was reported, so that it is not repeated at every
    /// refresh.
    private var complaint = ""
    /// What `join` made of the files.
    private(set) var whole: Whole

    private static var mostFiles: Int { 2_000 }
    private static var largest: Int { 16 << 20 }

    init(
        _ path: String, where isRead: @escaping @Sendable (String) -> Bool,
        parse: @escaping @Sendable (_ path: String, [UInt8]) throws -> File,
        join: @escaping @Sendable (_ files: [String: File]) throws -> Whole
    ) throws {
        (self.path, self.isRead, self.parse, self.join) = (path, isRead, parse, join)
        stamps = try Self.stamps(path, isRead)
        files = try stamps.keys.reduce(into: [:]) { $0[$1] = try parse($1, Self.read($1)) }
        whole = try join(files)
    }

    /// Reads what has changed. True where `whole` is new.
    mutating func refresh(_ report: (String) -> Void) -> Bool {
        let now: [String: FileStamp]
        do { now = try Self.stamps(path, isRead) } catch {
            if complaint != "\(error)" { report("\(error): still serving it as it was") }
            complaint = "\(error)"
            return false
        }
        complaint = ""
        guard now != stamps else { return false }
        files = files.filter { now[$0.key] != nil }
        for (path, stamp) in now where stamps[path] != stamp {
            do { files[path] = try parse(path, Self.read(path)) } catch {
                report("\(error): \(files[path] == nil ? "left out" : "still serving it as it was")")
            }
        }
        // Also when a file is broken, so that it is reported once.
        stamps = now
        do { whole = try join(files) } catch {
            report("\(error): still serving it as it was")
            return false
        }
        return true
    }

    private static func read(_ path: String) throws -> [UInt8] {
        do { return try BoundedFile.read(path, limit: largest) } catch { throw StandInFailure("\(error)") }
    }

    private static func stamps(_ path: String, _ isRead: (String) -> Bool) throws -> [String: FileStamp] {
        var names: [String]
        if let stamp = FileStamp(path) { return [path: stamp] }
        do { names = try FolderListing.names(in: path, where: isRead) } catch { throw StandInFailure("\(error)") }
        names = names.map { path + "/" + $0 }
        guard names.count <= mostFiles else { throw StandInFailure("\(path) holds more than \(mostFiles) files") }
        return names.reduce(into: [:]) { $0[$1] = FileStamp($1) }
    }
}
