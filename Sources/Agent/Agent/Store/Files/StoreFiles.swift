// SPDX-License-Identifier: Apache-2.0
import Glibc
import SystemKit

/// The files of a store, and how one takes the place of another so that a power cut at any moment
/// leaves the old or the new. Blocks on the disk.
///
///     studyd.sqlite (-wal, -shm)   the store
///     studyd.head                  the log's head (`HeadFile`)
///     studyd.sqlite.new            being made from a damaged one
///     studyd.sqlite.ready          made, to be moved to its place
///     damaged/1 …                  what was set aside
///     reserve                      space for a disk that has none left (`StoreReserve`)
///
/// `StoreOpening` calls `clearNew`, fills `new`, then calls `finishNew`, `setAside` and `moveIn`; `resume` completes
/// at start what was interrupted.
struct StoreFiles: Sendable {
    let path: String
    let folder: String
    private let name: String
    /// This many damaged stores are kept: the first one and the latest.
    private static let mostSetAside = 3
    private static let endings = ["", "-wal", "-shm", "-journal"]

    init(_ path: String) {
        self.path = path
        folder = AtomicFile.folder(of: path)
        name = path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
    }

    /// Where the head is kept: `studyd.head` beside `studyd.sqlite`.
    var head: String { (path.hasSuffix(".sqlite") ? String(path.dropLast(7)) : path) + ".head" }
    /// Space for a disk that has none left.
    var reserve: String { folder + "/reserve" }
    var new: String { path + ".new" }
    private var ready: String { path + ".ready" }
    private var damaged: String { folder + "/damaged" }

    /// What there is in the database's place.
    enum Kind: Sendable, Hashable {
        case missing, file
        case other(String)
    }

    /// What there is in the database's place, links not followed.
    var kind: Kind {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            return errno == ENOENT ? .missing : .other("\(name): \(String(cString: strerror(errno)))")
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return .file
        case S_IFDIR: return .other("\(name) is a folder")
        case S_IFLNK: return .other("\(name) is a link")
        default: return .other("\(name) is not a file")
        }
    }

    /// Why this process may not use the files that are there (rights, a read-only disk), in words with the
    /// remedy; nil = it may. Refused files are not damaged, and must be left as they are.
    ///
    /// Opens and closes the files, which would give up SQLite's locks: this process may not have the store
    /// open.
    var refusal: String? {
        guard access(folder, W_OK | X_OK) == 0 else { return Self.refusal(folder, errno) }
        for file in Self.endings.map({ path + $0 }) + [head] {
            var status = stat()
            guard lstat(file, &status) == 0 else {
                if errno == ENOENT { continue }
                return Self.refusal(file, errno)
            }
            guard status.st_mode & S_IFMT == S_IFREG else { continue }
            let descriptor = open(file, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
            guard descriptor >= 0 else {
                // A command that was the last to close the store has just removed its write-ahead log.
                if errno == ENOENT { continue }
                return Self.refusal(file, errno, status)
            }
            defer { close(descriptor) }
            // A disk that refuses the first byte refuses all; one that refuses some is damaged.
            var byte: UInt8 = 0
            if pread(descriptor, &byte, 1, 0) < 0 { return Self.refusal(file, errno) }
        }
        return nil
    }

    /// For a command of a user who may not use the store: which of its files it is, and who may. Nil where rights are
    /// not what is wrong.
    var denial: FileError? {
        let places = [(folder, R_OK | W_OK | X_OK)] + Self.endings.map { (path + $0, R_OK | W_OK) }
        guard let denied = places.first(where: { access($0.0, $0.1) != 0 && errno == EACCES })?.0 else { return nil }
        var status = stat()
        let owner = stat(denied, &status) == 0 ? UserName.of(status.st_uid) : "studyd"
        return FileError(
            path: denied, message: "the user \(UserName.of(geteuid())) may not use it",
            remedy: "try again as root or as the user \(owner)")
    }

    private static func refusal(_ path: String, _ code: CInt, _ status: stat? = nil) -> String {
        let reason = "\(path): \(String(cString: strerror(code)))"
        switch code {
        case EACCES, EPERM:
            let owner = status.map {
                ", which belongs to user \($0.st_uid) with mode \(String($0.st_mode & 0o777, radix: 8))"
            }
            return reason + (owner ?? "")
                + "; give it to the user that studyd runs as (user \(geteuid())), with mode 640"
        case EROFS: return reason + "; mount the disk so that it can be written"
        default: return reason + "; check the disk or card (dmesg)"
        }
    }

    /// There is a write-ahead log, which without its database is left over from it.
    var hasLeftovers: Bool { access(path + "-wal", F_OK) == 0 }

    /// Only the agent and its group read the store, whatever the umask was; and the agent may write
    /// it.
    func protect() {
        for file in Self.endings.map({ path + $0 }) + [head] {
            var status = stat()
            guard lstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
            let mode = status.st_mode & 0o640 | 0o600
            if status.st_mode & 0o777 != mode { chmod(file, mode) }
        }
    }

    /// Removes the unfinished new store of a rescue that was interrupted.
    func clearNew() {
        for ending in Self.endings { unlink(new + ending) }
    }

    /// The numbers of the folders in `damaged`, ascending.
    private var numbers: [Int] {
        FolderListing.readable(damaged).compactMap { Int($0) }.filter { (1..<1_000_000).contains($0) }.sorted()
    }

    /// The folder that the next `setAside` makes, relative to the store's.
    var nextSetAside: String { "damaged/\((numbers.last ?? 0) + 1)" }

    /// Moves the store to a new folder in `damaged`. If it throws, everything is back in its place.
    func setAside() throws {
        guard mkdir(damaged, 0o750) == 0 || errno == EEXIST else { throw fault(damaged) }
        let place = "\(folder)/\(nextSetAside)"
        guard mkdir(place, 0o750) == 0 else { throw fault(place) }
        var moved: [String] = []
        for ending in Self.endings {
            if rename(path + ending, "\(place)/\(name)\(ending)") == 0 {
                moved.append(ending)
            } else if errno != ENOENT {
                let fault = fault(path + ending)
                for ending in moved { rename("\(place)/\(name)\(ending)", path + ending) }
                rmdir(place)
                throw fault
            }
        }
        for old in numbers.dropFirst().dropLast(Self.mostSetAside - 1) { FolderRemoval.remove("\(damaged)/\(old)") }
    }

    /// Removes everything that was set aside, since it holds answers that were deleted.
    func removeSetAside() { FolderRemoval.remove(damaged) }

    /// Marks the new store as finished: from now on `moveIn`, or after a power cut `resume`, moves it to its
    /// place.
    func finishNew() throws {
        try Self.durably { () throws(FileError) in
            try AtomicFile.sync(new)
            try AtomicFile.rename(new, to: ready)
        }
    }

    /// Gives up a finished new store, when the old one cannot be moved out of its place.
    func dropReady() { unlink(ready) }

    /// Moves a finished new store to its place, which is empty.
    func moveIn() throws {
        try Self.durably { () throws(FileError) in try AtomicFile.rename(ready, to: path) }
    }

    /// At start: completes what a power cut interrupted between `finishNew` and `moveIn`.
    func resume() throws {
        guard access(ready, F_OK) == 0 else { return }
        if kind != .missing || hasLeftovers { try setAside() }
        try moveIn()
    }

    private func fault(_ path: String) -> StoreError { .notReplaced(path, String(cString: strerror(errno))) }

    private static func durably(_ change: () throws(FileError) -> Void) throws {
        do throws(FileError) { try change() } catch { throw StoreError.notReplaced(error.path, error.reason) }
    }
}
