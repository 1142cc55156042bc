// SPDX-License-Identifier: Apache-2.0
import Glibc
import Times

/// Writes a few megabytes into the state folder and takes them away again: speed, patience of a sync, free space.
struct DiskProbe: CheckProbe {
    private static let bytes = 4 << 20
    private static let chunk = 1 << 18
    private let setting: CheckSetting

    init(_ setting: CheckSetting) { self.setting = setting }

    var subjects: [CheckSubject] { [CheckSubject(.disk, setting.folder)] }

    func run(_ report: (CheckFinding) -> Void) {
        do {
            report(try measure().finding(subjects[0]))
        } catch {
            report(
                CheckFinding(
                    subjects[0], failure: error,
                    remedy:
                        "make the folder, give it to the user of studyd, and see whether the disk is full or mounted read-only"
                ))
        }
    }

    private func measure() throws -> DiskVerdict {
        var info = statvfs()
        guard statvfs(setting.folder, &info) == 0 else { throw fault(setting.folder) }
        let free = Int64(info.f_bavail) * Int64(info.f_frsize)
        guard free > Int64(4 * Self.bytes) else { return DiskVerdict(free: free, speed: nil, slowestSync: .zero) }
        let path = "\(setting.folder)/.check-\(getpid())"
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw fault(path) }
        defer {
            close(file)
            unlink(path)
        }
        let start = setting.clock.monotonic
        let slowest = try write(to: file, path)
        let time = (setting.clock.monotonic - start).seconds
        return DiskVerdict(free: free, speed: Double(Self.bytes) / max(time, 1e-6), slowestSync: slowest)
    }

    /// A sync every half megabyte, as a recorder does more rarely; the longest of them.
    private func write(to file: CInt, _ path: String) throws -> Duration {
        // Not zeros, which some file systems do not store.
        let block = (0..<Self.chunk).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ $0 >> 8) }
        var slowest = Duration.zero
        for index in 0..<Self.bytes / Self.chunk {
            var rest = block[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { throw fault(path) }
                rest = rest.dropFirst(count)
            }
            guard index % 2 == 1 else { continue }
            let before = setting.clock.monotonic
            guard fsync(file) == 0 else { throw fault(path) }
            slowest = max(slowest, setting.clock.monotonic - before)
        }
        return slowest
    }

    private func fault(_ path: String) -> FileFault {
        FileFault(path: path, message: String(cString: strerror(errno)))
    }
}

/// What is known about the disk. Pure.
struct DiskVerdict: Sendable {
    /// Below so many free bytes recordings stop.
    static let floor: Int64 = 64 << 20
    /// About a day of a full load: below it somebody should look.
    static let comfort: Int64 = 512 << 20
    /// Bytes per second below which a full load does not fit with room to spare.
    static let slowest = 1e6
    /// What the rings hold is 30 s; a third of it is left for bad days.
    static let patience: Duration = .seconds(10)
    /// Bytes that the user may still write.
    let free: Int64
    /// Bytes per second with a sync every half megabyte; nil where it was too full to measure.
    let speed: Double?
    /// The longest sync.
    let slowestSync: Duration

    /// What it comes to.
    func finding(_ subject: CheckSubject) -> CheckFinding {
        let space = "\(free / 1_000_000) MB free"
        guard free > Self.floor, let speed else {
            return CheckFinding(
                subject, .failed, "\(space), below the floor of \(Self.floor / 1_000_000) MB",
                remedy: "delete what is not needed, lower [disk] cap_gib, or use a larger card")
        }
        let detail = "\((speed / 1e6).text(1)) MB/s, longest sync \((slowestSync.seconds * 1000).text(0)) ms, \(space)"
        if speed < Self.slowest || slowestSync > Self.patience {
            return CheckFinding(
                subject, .warning, detail + ": slow",
                remedy: "use a card of class A1 or better; an old one becomes slow before it dies")
        }
        guard free > Self.comfort else {
            return CheckFinding(
                subject, .warning, detail,
                remedy: "delete what is not needed, or use a larger card: this is about a day of recordings")
        }
        return CheckFinding(subject, .ok, detail)
    }
}
