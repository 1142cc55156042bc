// SPDX-License-Identifier: Apache-2.0
import Base
import Device
import Glibc
import SystemKit

/// What a device's destination of kind `directory` has written to a stick, or a copy of that:
/// `study/participant/enrolment/file`, with a `labels.json` in each enrolment's folder. `Mirror` copies it into
/// the receiver's data.
struct StickFolder: MirrorSource {
    private let path: String
    var name: String { path }
    var address: String { File.realPath(path) ?? path }

    /// Nil for a folder in which no enrolment's folder, three deep, has a `labels.json`.
    init?(_ path: String) {
        self.path = path.hasSuffix("/") ? String(path.dropLast()) : path
        guard !listFolders().folders.isEmpty else { return nil }
    }

    func listingProblems() -> [String] { listFolders().problems }

    /// The folders three deep with a `labels.json`, and what could not be listed.
    private func listFolders() -> (folders: [String], problems: [String]) {
        var (folders, problems) = ([""], [String]())
        for _ in 0..<3 { folders = folders.flatMap { subfolders(of: $0, &problems) } }
        folders = folders.filter { folder in
            let found = access("\(path)/\(folder)/labels.json", F_OK) == 0
            let code = errno
            if !found, code == EACCES {
                problems.append("\(FolderListing.Failure(path: "\(path)/\(folder)", code: code))")
            } else if !found, code == ENOENT, holdsRecordings(folder) {
                problems.append(
                    "\(path)/\(folder): labels.json is missing: copy it too, or get the recordings from the device")
            }
            return found
        }
        return (folders, problems)
    }

    /// Whether something is named as devices do, `000001-accelerometer.cwa`: a computer may have folders there
    /// too, with pictures such as `20260101-120000.jpg`.
    private func holdsRecordings(_ folder: String) -> Bool {
        FolderListing.readable("\(path)/\(folder)").contains { name in
            RecordingName(name) != nil && name.drop { $0.isNumber }.dropFirst().first?.isLetter == true
        }
    }

    private func subfolders(of folder: String, _ problems: inout [String]) -> [String] {
        do {
            let names = try FolderListing.names(in: "\(path)/\(folder)") { !$0.hasPrefix(".") }
            return names.map { folder.isEmpty ? $0 : "\(folder)/\($0)" }
        } catch {
            // Files and links that lead nowhere are no folders; only root may list ext4's lost+found.
            if ![ENOTDIR, ENOENT].contains(error.code), folder != "lost+found" { problems.append("\(error)") }
            return []
        }
    }

    func page(_ token: String?) throws -> (entries: [MirrorEntry], next: String?) { (entries, nil) }

    private var entries: [MirrorEntry] {
        listFolders().folders.flatMap { folder in
            FolderListing.readable("\(path)/\(folder)").compactMap { file in
                // The device has not finished `.part` and `.new`; hidden ones are a computer's own.
                guard file != "labels.json", !file.hasPrefix("."), !file.hasSuffix(".part"), !file.hasSuffix(".new")
                else { return nil }
                var status = stat()
                guard stat("\(path)/\(folder)/\(file)", &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
                    return nil
                }
                let modified =
                    Instant(seconds: Int64(status.st_mtim.tv_sec)) + .nanoseconds(Int64(status.st_mtim.tv_nsec))
                return MirrorEntry(
                    key: "\(folder)/\(file)", bytes: Int64(status.st_size), modified: modified,
                    version: String(modified.nanoseconds))
            }
        }
    }

    /// It holds no connection: each thread can use the same.
    func separateConnection() -> any MirrorSource { self }

    func head(of entry: MirrorEntry, count: Int) throws -> MirrorHead {
        let bytes = try bytes(of: entry, from: 0, count: min(count, Int(entry.bytes)))
        return MirrorHead(labels: try labels(of: entry), bytes: bytes)
    }

    private func labels(of entry: MirrorEntry) throws -> [String: String] {
        let folder = entry.key.split(separator: "/").dropLast().joined(separator: "/")
        let bytes: [UInt8]
        do { bytes = try BoundedFile.read("\(path)/\(folder)/labels.json", limit: 65_536) } catch {
            throw MirrorProblem(words: "labels.json beside it: \(Explanation(error).cause)")
        }
        let text = String(decoding: bytes, as: UTF8.self)
        let members = (try? JSONReader.value(text))?.members ?? []
        return Dictionary(members.compactMap { pair in pair.value.string.map { (pair.key, $0) } }) { first, _ in first }
    }

    func bytes(of entry: MirrorEntry, from offset: Int64, count: Int) throws -> [UInt8] {
        do { return try File("\(path)/\(entry.key)", .read).read(count, at: Int(offset)) } catch {
            throw MirrorProblem(words: Explanation(error).cause)
        }
    }
}
