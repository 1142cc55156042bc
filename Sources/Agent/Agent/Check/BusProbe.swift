// SPDX-License-Identifier: Apache-2.0
import Base
import CLinux
import Device
import Glibc

/// Tests one bus and the chips on it: who answers, by identity registers alone; then what the
/// board's chips measure.
struct BusProbe: CheckProbe {
    private let setting: CheckSetting
    private let index: Int
    private let bus: BoardDescription.Bus
    private let chips: [BoardDescription.Chip]

    init(_ setting: CheckSetting, bus index: Int) {
        (self.setting, self.index) = (setting, index)
        let bus = setting.board.buses[index]
        self.bus = bus
        chips = setting.board.chips.filter { $0.bus == bus.name }
    }

    var subjects: [CheckSubject] { [subject] + chips.map(subject) }
    private var subject: CheckSubject { CheckSubject(.bus, bus.name) }
    private func subject(_ chip: BoardDescription.Chip) -> CheckSubject { CheckSubject(chip, of: setting.board) }

    func run(_ report: (CheckFinding) -> Void) {
        let open: any I2CBus
        do { open = try setting.opener.bus(index) } catch {
            report(CheckFinding(subject, failure: error, remedy: Self.remedy))
            return skip(report, "its bus cannot be opened")
        }
        let survey = BusSurvey(of: open, named: bus.name)
        let verdict = BusVerdict(survey, of: setting.board, bus: bus)
        report(verdict.finding(subject, functions: Self.functions(of: bus.device)))
        guard survey.fault == nil else { return skip(report, "its bus is stuck") }
        measure(on: open, verdict, report)
    }

    private func skip(_ report: (CheckFinding) -> Void, _ why: String) {
        for chip in chips { report(CheckFinding(subject(chip), .skipped, why, remedy: "see bus '\(bus.name)'")) }
    }

    private func measure(on open: any I2CBus, _ verdict: BusVerdict, _ report: (CheckFinding) -> Void) {
        var trials: [ChipTrial] = []
        for chip in chips {
            let subject = subject(chip)
            if let finding = verdict.refusal(subject, chip) {
                report(finding)
                continue
            }
            do {
                trials.append(try ChipTrial(chip, subject: subject, on: open, setting, verdict.identity(of: chip)))
            } catch {
                report(CheckFinding(subject, failure: error, remedy: "correct the board file or studyd.toml"))
            }
        }
        for finding in ChipTrial.run(trials, setting) { report(finding) }
    }

    private static let remedy =
        "enable the bus (dtparam=i2c_arm=on in config.txt), load the module i2c-dev, and give the user the group i2c"

    /// What the adapter can do, in words; nil where it is not the kernel's.
    private static func functions(of device: String) -> String? {
        let descriptor = open(device, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var functions: UInt = 0
        guard clinux_i2c_functions(descriptor, &functions) == 0 else { return nil }
        return functions & UInt(I2C_FUNC_I2C) != 0
            ? "plain I2C" : "SMBus calls only, so transfers go in pieces of 32 bytes"
    }
}
