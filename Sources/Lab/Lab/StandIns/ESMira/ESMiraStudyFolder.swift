// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import SystemKit

/// The studies of ESMira that are served: every `.json` of the folders, or single files, read anew
/// where it has changed. A file that is broken keeps its last good content, and is told once.
actor ESMiraStudyFolder {
    /// What tells a file from an earlier state of it.
    private struct Stamp: Hashable {
        let seconds: Int
        let nanoseconds: Int
        let size: Int64
        let inode: UInt64
    }

    private let folders: [String]
    private let archive: Archive
    private let report: @Sendable (String) -> Void
    private var stamps: [String: Stamp] = [:]
    private var files: [String: ESMiraStudy] = [:]
    private var untold: Set<String> = []
    private static let largest = 16 << 20

    /// Reads the folders; throws where one cannot be read or holds no study.
    init(_ folders: [String], archive: Archive, report: @escaping @Sendable (String) -> Void) throws {
        (self.folders, self.archive, self.report) = (folders, archive, report)
        for folder in folders {
            let paths = try Self.paths(folder)
            guard !paths.isEmpty else {
                throw ESMiraStudy.Failure("\(folder) contains no .json; put the editor's study there")
            }
            for path in paths {
                stamps[path] = Self.stamp(path)
                files[path] = try Self.study(path)
                untold.insert(path)
            }
        }
        try Self.checkTwins(files)
    }

    /// All of them, in the order of their files' names.
    func all() async throws -> [ESMiraStudy] {
        for folder in folders {
            guard let paths = try? Self.paths(folder) else { continue }
            let gone = files.keys.filter { ($0 == folder || $0.hasPrefix(folder + "/")) && !paths.contains($0) }
            for path in gone { (files[path], stamps[path]) = (nil, nil) }
            for path in paths { refresh(path) }
        }
        for path in untold.sorted() {
            guard let study = files[path] else { continue }
            untold.remove(path)
            try await archive.esmira { try $0.prepare(study) }
        }
        return files.sorted { $0.key < $1.key }.map(\.value)
    }

    private func refresh(_ path: String) {
        let stamp = Self.stamp(path)
        guard stamp != stamps[path] else { return }
        // Also where it is broken: the same broken file is told once.
        stamps[path] = stamp
        do {
            let study = try Self.study(path)
            try Self.checkTwins(files.merging([path: study]) { $1 })
            files[path] = study
            untold.insert(path)
            report("study \(study.id) has changed: version \(study.version)")
        } catch {
            report("\(error): \(files[path] == nil ? "left out" : "still serving it as it was")")
        }
    }

    private static func checkTwins(_ files: [String: ESMiraStudy]) throws(ESMiraStudy.Failure) {
        var places: [Int: String] = [:]
        for (path, study) in files.sorted(by: { $0.key < $1.key }) {
            if let other = places[study.id] {
                throw ESMiraStudy.Failure("\(path) contains study \(study.id), as does \(other); remove one of them")
            }
            places[study.id] = path
        }
    }

    /// The folder's files, or the one file that is named instead of a folder.
    private static func paths(_ folder: String) throws -> [String] {
        if folder.hasSuffix(".json"), stamp(folder) != nil { return [folder] }
        do {
            return try FolderListing.names(in: folder) { !$0.hasPrefix(".") && $0.hasSuffix(".json") }.sorted().map {
                folder + "/" + $0
            }
        } catch { throw ESMiraStudy.Failure("\(error)") }
    }

    private static func study(_ path: String) throws -> ESMiraStudy {
        var bytes: [UInt8] = []
        let isWhole = try File.forEachPiece(path) { piece in
            bytes += piece
            return bytes.count <= largest
        }
        guard isWhole else { throw ESMiraStudy.Failure("\(path) has more than \(largest) bytes") }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ESMiraStudy.Failure("\(path) is not UTF-8")
        }
        do { return try ESMiraStudy(try JSONReader.value(text, depthLimit: 128)) } catch {
            throw ESMiraStudy.Failure(error is JSONError ? "\(path): \(error)" : "\(path) \(error)")
        }
    }

    private static func stamp(_ path: String) -> Stamp? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return Stamp(
            seconds: status.st_mtim.tv_sec, nanoseconds: status.st_mtim.tv_nsec, size: Int64(status.st_size),
            inode: UInt64(status.st_ino))
    }
}
