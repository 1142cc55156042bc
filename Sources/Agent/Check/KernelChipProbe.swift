// SPDX-License-Identifier: Apache-2.0
import Hardware

/// Looks for the devices that a kernel driver reads, and reads each once.
struct KernelChipProbe: CheckProbe {
    private static let folder = "/sys/bus/iio/devices"
    private let setting: CheckSetting

    init(_ setting: CheckSetting) { self.setting = setting }

    var subjects: [CheckSubject] { setting.board.kernelChips.map { CheckSubject(.chip, "IIO \($0.device)") } }

    func run(_ report: (CheckFinding) -> Void) {
        let present = (0..<32).compactMap { number -> (path: String, name: String)? in
            let folder = AttributeFolder(path: "\(Self.folder)/iio:device\(number)")
            return (try? folder.read("name")).map { (folder.path, $0) }
        }
        for (subject, chip) in zip(subjects, setting.board.kernelChips) {
            let found = present.first { $0.name == chip.device || $0.path.hasSuffix("/\(chip.device)") }
            report(found.map { Self.read($0, subject) } ?? Self.absent(subject, chip, present.map(\.name)))
        }
    }

    private static func absent(
        _ subject: CheckSubject, _ chip: BoardDescription.KernelChip, _ names: [String]
    ) -> CheckFinding {
        let there = names.isEmpty ? "there is none" : "there are: \(names.joined(separator: ", "))"
        return CheckFinding(
            subject, .failed, "no IIO device is named '\(chip.device)'; \(there)",
            remedy:
                "load its driver and overlay (`dmesg | grep iio`), or correct the name in \(chip.path) of the board file"
        )
    }

    /// `in_accel_x_raw` and its sisters.
    private static func read(_ device: (path: String, name: String), _ subject: CheckSubject) -> CheckFinding {
        let folder = AttributeFolder(path: device.path)
        let kinds = ["accel", "anglvel", "magn"].filter { folder.has("in_\($0)_x_raw") }
        do {
            for kind in kinds {
                for axis in ["x", "y", "z"] { _ = try folder.read("in_\(kind)_\(axis)_raw") }
            }
        } catch {
            return CheckFinding(subject, failure: error, remedy: "its driver cannot reach it: see `dmesg`")
        }
        guard !kinds.isEmpty else {
            return CheckFinding(
                subject, .failed, "\(device.path) measures neither acceleration, rotation nor field",
                remedy: "name another device")
        }
        return CheckFinding(subject, .ok, "\(device.path) reads \(kinds.joined(separator: ", "))")
    }
}
