// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import Study
import SystemKit

/// One step of one file on its way onto a medium (a USB stick): it writes `<name>.part`, reads it back, and
/// renames it. The job's location is the name chosen for it. Belongs to the lane's thread.
struct DirectoryDelivery: ~Copyable {
    private let payload: UploadPayload
    private let job: DeliveryJob
    /// The folder on the medium.
    private let root: Descriptor
    private let name: FolderName
    /// Bytes read and written at once.
    private static let piece: Int64 = 256 << 10

    init(_ payload: UploadPayload, _ job: DeliveryJob, below root: consuming Descriptor) {
        (self.payload, self.job) = (payload, job)
        self.root = root
        name = FolderName(payload.file, job)
    }

    /// Path of a file or folder on the medium that was opened, whatever is mounted in its place by now.
    private func path(_ name: String) -> String { "/proc/self/fd/\(root.rawValue)/\(name)" }

    /// In order: `begin` chooses a name, `write` adds a piece, `finish` reads all back and renames. `.located(nil)`
    /// begins again.
    func step() throws -> DeliveryStep {
        guard let place = job.location else { return try begin() }
        guard place == name.text || place.hasPrefix(name.text + "~") else { return .located(nil) }
        let there = size(of: path(place + ".part"))
        guard let offset = job.offset else {
            // The device went off after the file got its name, or before its first byte.
            if there == nil, try isOurs(place) { return try delivered(place) }
            return there.map { $0 <= payload.bytes ? .progressed($0) : .located(nil) } ?? .located(nil)
        }
        guard there == offset else { return .located(nil) }
        return offset < payload.bytes ? try write(from: offset, to: place) : try finish(place)
    }

    /// Chooses a name that no other content has, and makes its empty `.part` file.
    private func begin() throws -> DeliveryStep {
        try checkRoom()
        try makeFolders()
        for number in 1...9 {
            let place = name.copy(number)
            let there = size(of: path(place))
            if there != nil, try isOurs(place) { return try delivered(place) }
            // An empty one lost its content when the stick was pulled out, or never had any.
            guard there ?? 0 == 0 else { continue }
            let file = open(path(place + ".part"), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o640)
            guard file >= 0 else { throw MediumFault(errno, place) }
            defer { close(file) }
            // FAT takes files of less than 4 GiB, and says so at once.
            if payload.bytes > Int64(UInt32.max), ftruncate(file, off_t(payload.bytes)) != 0 {
                throw MediumFault(errno, place)
            }
            guard ftruncate(file, 0) == 0 else { throw MediumFault(errno, place) }
            return .located(place)
        }
        return .finished(.refused(reason: "\(name.text) and 8 more names have other content"))
    }

    /// Throws before a byte is written: otherwise a full stick would be written to its end at each try.
    private func checkRoom() throws(MediumFault) {
        var room = statvfs()
        guard fstatvfs(root.rawValue, &room) == 0 else { throw MediumFault(errno, "room") }
        let free = Int64(room.f_bavail) * Int64(room.f_frsize)
        guard free > payload.bytes else { throw MediumFault(ENOSPC, payload.file.path) }
    }

    private func makeFolders() throws(MediumFault) {
        var made = ""
        for part in name.folders {
            made += made.isEmpty ? part : "/" + part
            if mkdir(path(made), 0o750) == 0 {
                try sync(made + "/..")
            } else if errno != EEXIST {
                throw MediumFault(errno, made)
            }
        }
        let labels = name.folder + "/labels.json"
        guard size(of: path(labels)) ?? 0 == 0 else { return }
        do throws(FileError) { try AtomicFile.write(Array(name.labels.utf8), to: path(labels), mode: 0o640) } catch {
            throw MediumFault(errno, labels)
        }
        try syncName(labels)
    }

    private func write(from offset: Int64, to place: String) throws -> DeliveryStep {
        let length = min(max(Self.piece, min(job.chunk, 4 << 20)), payload.bytes - offset)
        let file = open(path(place + ".part"), O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { throw MediumFault(errno, place) }
        defer { close(file) }
        var done: Int64 = 0
        while done < length {
            let bytes = try payload.bytes(from: offset + done, length: min(Self.piece, length - done))
            guard !bytes.isEmpty else { throw UnusablePayload(reason: "\(payload.file.path) became shorter") }
            guard File.write(bytes[...], to: file, at: Int(offset + done)) else { throw MediumFault(errno, place) }
            done += Int64(bytes.count)
        }
        return .progressed(offset + length)
    }

    /// The receipt is given only after the content was read back from the medium.
    private func finish(_ place: String) throws -> DeliveryStep {
        let part = place + ".part"
        try sync(part)
        forget(part)
        guard try digest(of: part) == payload.file.sha256 else {
            unlink(path(part))
            let reason = "\(place): what was read back is not what was written; use another stick"
            return .finished(.retry(reason: reason))
        }
        guard rename(path(part), path(place)) == 0 else { throw MediumFault(errno, place) }
        return try delivered(place)
    }

    private func delivered(_ place: String) throws(MediumFault) -> DeliveryStep {
        try syncName(place)
        return .finished(.delivered(receipt: receipt(place)))
    }

    /// Whether the file of that name has our length and SHA-256.
    private func isOurs(_ place: String) throws -> Bool {
        guard size(of: path(place)) == payload.bytes else { return false }
        return try digest(of: place) == payload.file.sha256
    }

    private func digest(of name: String) throws -> String {
        do { return try Digest(ofFile: path(name)).description } catch { throw MediumFault(errno, name) }
    }

    private func size(of path: String) -> Int64? {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_size) : nil
    }

    /// A rename on Linux's FAT makes a name of length 0; where its content is comes onto the medium with the
    /// file's own sync, and not with the folder's (fs/fat/namei_vfat.c, vfat_rename).
    private func syncName(_ place: String) throws(MediumFault) {
        try sync(place)
        try sync(name.folder)
    }

    private func sync(_ name: String) throws(MediumFault) {
        let file = open(path(name), O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw MediumFault(errno, name) }
        defer { close(file) }
        // Some file systems have no sync of folders.
        guard fsync(file) == 0 || errno == EINVAL else { throw MediumFault(errno, name) }
    }

    /// Makes the kernel drop its cached copy, so that reading asks the medium (posix_fadvise(2)).
    private func forget(_ name: String) {
        let file = open(path(name), O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return }
        posix_fadvise(file, 0, 0, CInt(POSIX_FADV_DONTNEED))
        close(file)
    }

    private func receipt(_ place: String) -> String {
        "\(place) \(payload.bytes) bytes sha256 \(payload.file.sha256), read back"
    }
}
