// SPDX-License-Identifier: Apache-2.0
import Base
import Device

/// Compares what answers on a bus with what the board file says of it, for `BusProbe`. Pure.
struct BusVerdict: Sendable {
    /// The magnetometer in an inertial sensor's package (AK8963, AK09916): it does not answer until
    /// the driver has closed the package's bypass switch.
    private static let bypassedAddress: UInt8 = 0x0C
    private let survey: BusSurvey
    private let chips: [BoardDescription.Chip]
    private let known: Set<UInt8>

    init(_ survey: BusSurvey, of board: BoardDescription, bus: BoardDescription.Bus) {
        self.survey = survey
        chips = board.chips.filter { $0.bus == bus.name }
        var known = Set(chips.map(\.address))
        if case .chip(_, bus.name, let address)? = board.vibration?.drive { known.insert(address) }
        self.known = known
    }

    /// On the bus itself: which chips answer, and which of them the board file does not name.
    func finding(_ subject: CheckSubject, functions: String?) -> CheckFinding {
        let title = functions.map { "opens (\($0))" } ?? "opens"
        if let line = survey.faultLine {
            return CheckFinding(subject, .failed, "\(title), but \(line)", remedy: "then test again")
        }
        let unlisted = survey.findings.filter { !known.contains($0.address) && !isTaken($0) }
        let there = survey.findings.map(label).joined(separator: ", ")
        let detail = "\(title), " + (there.isEmpty ? "no known chip responds" : "answers: \(there)")
        guard let first = unlisted.first else {
            let isEmpty = survey.findings.isEmpty && !known.isEmpty
            return CheckFinding(
                subject, isEmpty ? .warning : .ok, detail,
                remedy: isEmpty ? "check the 3.3 V supply, ground, SDA and SCL, and the pull-ups" : nil)
        }
        return CheckFinding(
            subject, .warning, detail,
            remedy: "the board file lists nothing at \(hexadecimal(first.address)): \(first)")
    }

    /// A kernel driver owns the address.
    private func isTaken(_ finding: BusFinding) -> Bool {
        if case .taken = finding.state { true } else { false }
    }

    /// `0x18 LIS3DH or LIS2DH12`, with every chip that it can be.
    private func label(_ finding: BusFinding) -> String {
        let place = hexadecimal(finding.address)
        if isTaken(finding) { return "\(place) the kernel's" }
        return "\(place) "
            + (finding.candidates.isEmpty ? "unknown device" : finding.candidates.joined(separator: " or "))
    }

    /// Why a chip cannot be measured; nil when it is the one that the board file names, and for the magnetometer
    /// at `bypassedAddress`, which only its driver can make answer.
    func refusal(_ subject: CheckSubject, _ chip: BoardDescription.Chip) -> CheckFinding? {
        guard let found = survey.finding(at: chip.address) else { return noAnswer(subject, chip) }
        switch found.canBe(chip.type) {
        case true?: return nil
        // The address is a kernel driver's, or reading failed.
        case nil: return CheckFinding(subject, failure: Explanation(cause: "\(found)"), remedy: "see `dmesg`")
        case false?:
            return CheckFinding(
                subject, .failed, "not a \(chip.type) but \(found)",
                remedy:
                    "set \(chip.path) of the board file to the fitted chip, or correct its address and pins")
        }
    }

    private func noAnswer(_ subject: CheckSubject, _ chip: BoardDescription.Chip) -> CheckFinding? {
        guard chip.address != Self.bypassedAddress, let entry = try? chip.entry() else { return nil }
        let place = ChipPlace(bus: chip.bus, address: chip.address, chip: entry.identity)
        return CheckFinding(
            subject, failure: SensorFault(place: place, cause: .bus(.noAcknowledge(address: chip.address))),
            remedy: "check its wires")
    }

    /// What was read of a chip, and which other chips read the same: `0x0F reads 0x33, as would
    /// LIS2DH12`; empty when nothing was read.
    func identity(of chip: BoardDescription.Chip) -> String {
        guard let found = survey.finding(at: chip.address), let register = try? chip.entry().identity.register,
            let read = found.evidence.first(where: { $0.register == register })
        else { return "" }
        let others = found.candidates.filter { $0.lowercased() != chip.type.lowercased() }
        return "\(read)" + (others.isEmpty ? "" : ", as would \(others.joined(separator: ", "))")
    }
}
