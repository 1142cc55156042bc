// SPDX-License-Identifier: Apache-2.0
import Base

/// Judges what `DiskProbe` measured of the disk. Pure.
struct DiskVerdict: Sendable {
    /// About a day of a full load: below it the device needs attention.
    private static let ample: Int64 = 512 << 20
    /// Bytes per second below which a full load does not fit with room to spare.
    private static let slowest = 1e6
    /// Warns of a sync that takes longer: the sample rings hold 30 s, and a worn card becomes slower.
    private static let longestSync: Duration = .seconds(10)
    /// Bytes that the user may still write.
    let free: Int64
    /// What recordings leave free: below it the oldest ones are removed, delivered or not.
    let floor: Int64
    /// Bytes per second with a sync every half megabyte; nil where it was too full to measure.
    let speed: Double?
    let slowestSync: Duration

    func finding(_ subject: CheckSubject) -> CheckFinding {
        let space = "\(free / 1_000_000) MB free"
        guard free >= floor, let speed else {
            return CheckFinding(
                subject, .failed,
                "\(space), less than the \(floor / 1_000_000) MB for which the oldest recordings are removed, delivered or not",
                remedy: "delete files, lower [disk] cap_gib, or use a larger card")
        }
        let detail = "\((speed / 1e6).text(1)) MB/s, longest sync \((slowestSync.seconds * 1000).text(0)) ms, \(space)"
        if speed < Self.slowest || slowestSync > Self.longestSync {
            return CheckFinding(
                subject, .warning, detail + ": slow",
                remedy: "use a class A1 card or better; old cards slow down before they fail")
        }
        guard free > Self.ample else {
            return CheckFinding(
                subject, .warning, detail,
                remedy: "delete files, or use a larger card: this is about a day of recordings")
        }
        return CheckFinding(subject, .ok, detail)
    }
}
