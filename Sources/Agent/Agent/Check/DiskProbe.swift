// SPDX-License-Identifier: Apache-2.0
import Base
import Glibc
import SystemKit

/// Writes a few megabytes into the state folder and removes them again: measures the speed, how long a sync
/// takes, and the free space.
struct DiskProbe: CheckProbe {
    private static let bytes = 4 << 20
    private static let chunk = 1 << 18
    let setting: CheckSetting

    var subjects: [CheckSubject] { [CheckSubject(.disk, setting.folder)] }

    func run(_ report: (CheckFinding) -> Void) {
        let remedy =
            "create the folder, make it owned by studyd's user, and check whether the disk is full or mounted read-only"
        report(CheckFinding(subjects[0], remedy: remedy) { try measure().finding(subjects[0]) })
    }

    private func measure() throws -> DiskVerdict {
        guard let space = DiskSpace(at: setting.folder) else { throw FileError.last(setting.folder) }
        let (free, floor) = (space.free, max(space.floor, Int64(4 * Self.bytes)))
        guard free >= floor else { return DiskVerdict(free: free, floor: floor, speed: nil, slowestSync: .zero) }
        let path = "\(setting.folder)/.check-\(getpid())"
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw FileError.last(path) }
        defer { close(file) }
        // Before anything is written: a check that is broken off leaves no file.
        unlink(path)
        let start = setting.clock.monotonic
        let slowest = try write(to: file, path)
        let time = (setting.clock.monotonic - start).seconds
        return DiskVerdict(
            free: free, floor: floor, speed: Double(Self.bytes) / max(time, 1e-6), slowestSync: slowest)
    }

    /// Syncs after every half megabyte, which is more often than a recorder does; returns the longest sync.
    private func write(to file: CInt, _ path: String) throws -> Duration {
        // Not zeros, which some file systems do not store.
        let block = (0..<Self.chunk).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ $0 >> 8) }
        var slowest = Duration.zero
        for index in 0..<Self.bytes / Self.chunk {
            guard File.write(block[...], to: file) else { throw FileError.last(path) }
            guard index % 2 == 1 else { continue }
            let before = setting.clock.monotonic
            guard fsync(file) == 0 else { throw FileError.last(path) }
            slowest = max(slowest, setting.clock.monotonic - before)
        }
        return slowest
    }
}
