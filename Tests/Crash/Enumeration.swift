// SPDX-License-Identifier: Apache-2.0
import Device
import Glibc
import SystemKit

/// Every moment at which the power can go, and what the disk can then hold.
struct Enumeration {
    private(set) var points = 0
    /// Disks recovered.
    private(set) var states = 0
    /// What went wrong, at most a hundred times.
    private(set) var faults: [String] = []
    /// The most that was lost, by kind.
    private(set) var losses: [String: Int] = [:]
    private let calls: [SystemCall]
    private let disk: CrashedDisk
    private let path: String
    private let encryption: RecordingEncryption?

    /// The log, gzipped, as `make crash-record` leaves it, of a run that was encrypted so; disks are put
    /// into the folder `path`.
    init(log: String, encryption: RecordingEncryption? = nil, in path: String) throws {
        self.encryption = encryption
        let bytes = try GzipFile.contents(File(log, .read), limit: 1 << 28)
        calls = try SystemCallReader(String(decoding: bytes, as: UTF8.self)).calls
        disk = CrashedDisk(calls)
        self.path = path
        _ = try DiskFolder(creating: path)
    }

    /// How many calls change the disk or make it durable.
    var changes: Int { calls.filter { if case .mark = $0 { false } else { true } }.count }

    /// Looks at every `step`th moment: as it is, with everything lost that was not synchronised,
    /// with each such call lost alone, and with each such write torn; `subsets` further times with
    /// a part of them lost, drawn from the number of the moment.
    mutating func run(step: Int = 1, subsets: Int = 0) {
        var known = Knowledge()
        var change = 0
        for index in 0...calls.count {
            if index < calls.count, case .mark(let words) = calls[index] {
                known.hear(words)
                continue
            }
            change += 1
            guard change % step == 0 || index == calls.count else { continue }
            points += 1
            for damage in damages(before: index, subsets) { examine(index, damage, known) }
        }
    }

    private func damages(before index: Int, _ subsets: Int) -> [[Int: CrashedDisk.Damage]] {
        let open = disk.unsynced(before: index)
        var all: [[Int: CrashedDisk.Damage]] = [[:]]
        if open.isEmpty { return all }
        all.append(Dictionary(uniqueKeysWithValues: open.map { ($0, .dropped) }))
        for call in open {
            all += (disk.isWrite(call) ? CrashedDisk.Damage.allCases : [.dropped]).map { [call: $0] }
        }
        var state = UInt64(index)
        for _ in 0..<(open.count > 1 ? subsets : 0) {
            var damage: [Int: CrashedDisk.Damage] = [:]
            for call in open {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                let choice = Int(state >> 33 % 5)
                if choice < 3 { damage[call] = disk.isWrite(call) ? CrashedDisk.Damage.allCases[choice] : .dropped }
            }
            all.append(damage)
        }
        return all
    }

    private mutating func examine(_ index: Int, _ damage: [Int: CrashedDisk.Damage], _ known: Knowledge) {
        states += 1
        let check = CrashCheck(disk.files(before: index, damage), known, encryption: encryption, in: path)
        losses.merge(check.losses) { max($0, $1) }
        for fault in check.faults where faults.count < 100 {
            faults.append("before call \(index) with \(damage.sorted { $0.key < $1.key }): \(fault)")
        }
    }
}
