// SPDX-License-Identifier: Apache-2.0
import Base

/// What is on an I2C bus, found by reading identity registers and nothing else, for `studyd check` and
/// `studyd takeover`.
///
/// Only addresses of known chips are asked, each by transactions of a sub-address and a
/// repeated-start read: no data byte is ever sent, since the chip is not known yet. An address that
/// a driver of the kernel owns is named and left alone. Asking again is harmless. On a bus without
/// faults it takes some 50 transactions, less than 50 ms.
package struct BusSurvey: Sendable, Hashable, CustomStringConvertible {
    /// The bus as people call it: `i2c-1`.
    private let bus: String
    /// The addresses that answer, lowest first.
    package let findings: [BusFinding]
    /// What made the survey useless: a line held low, an adapter that is gone. Addresses without a finding were not
    /// asked, or not believed.
    package let fault: I2CError?

    /// Asks every address at which a known chip can be. Blocks; call it while no other program uses
    /// the bus.
    package init(of bus: any I2CBus, named name: String) {
        var findings: [BusFinding] = []
        var fault: I2CError?
        for address in Self.addresses {
            do throws(I2CError) {
                if let finding = try Self.ask(bus, address) { findings.append(finding) }
            } catch {
                if Self.isOfTheWholeBus(error) {
                    fault = error
                    break
                }
                findings.append(BusFinding(address: address, state: .failed(error)))
            }
        }
        if fault == nil, Self.isHeldLow(findings) {
            fault = .timeout(address: Self.addresses[0])
            findings.removeAll { $0.state != .taken }
        }
        (self.bus, self.findings, self.fault) = (name, findings, fault)
    }

    /// SDA is held low. An adapter that does not compare what it sends with the line takes that for acknowledgements and
    /// zeros at every address (i2c-bcm2835, i2c-gpio); others lose each arbitration (i2c-designware, in a Raspberry
    /// Pi 5).
    private static func isHeldLow(_ findings: [BusFinding]) -> Bool {
        let asked = findings.filter { $0.state != .taken }
        guard !asked.isEmpty, findings.count == addresses.count else { return false }
        return asked.allSatisfy { finding in
            switch finding.state {
            case .answers(let readings): readings.allSatisfy { $0.bytes.allSatisfy { $0 == 0 } }
            case .failed(.arbitrationLost): true
            case .failed, .taken: false
            }
        }
    }

    /// All addresses that are asked, lowest first.
    package static let addresses = Set(KnownChip.all.flatMap(\.addresses)).sorted()

    package func finding(at address: UInt8) -> BusFinding? { findings.first { $0.address == address } }

    /// One line per finding, `i2c-1 0x18: …`, and one for the fault.
    package var description: String { lines.joined(separator: "\n") }

    /// What the fault is, and what to do; nil without one.
    package var faultLine: String? { fault.map { "\(bus): \(Self.remedy($0)); the rest of the bus was not tested" } }

    package var lines: [String] {
        var lines = findings.map { "\(bus) \(hexadecimal($0.address)): \($0)" }
        if let faultLine { lines.append(faultLine) }
        if findings.isEmpty && fault == nil {
            lines.append(
                "\(bus): no known chip responds; check the 3.3 V supply, ground, SDA and SCL, and the pull-ups")
        }
        return lines + behindASwitch
    }

    /// Magnetometers that are not seen because their housing's switch is open.
    private var behindASwitch: [String] {
        guard finding(at: 0x0C) == nil else { return [] }
        return findings.flatMap { found in
            BypassHost.all.filter { found.candidates.contains($0.name) }.map {
                "\(bus) 0x0C: the \($0.guest) inside the \($0.name) is behind its bypass switch, which is open; this is not a fault, it is "
                    + "closed when the board file names an \($0.guest)"
            }
        }
    }

    /// Reads the identity registers at an address; nil where nothing answers.
    private static func ask(_ bus: any I2CBus, _ address: UInt8) throws(I2CError) -> BusFinding? {
        if bus.isTakenByKernel(address) { return BusFinding(address: address, state: .taken) }
        let chips = KnownChip.all.filter { $0.addresses.contains(address) }
        // A QMC5883L may show a wrong identity until its data has been read (`QMC5883L.identityFault`).
        if chips.contains(where: { $0.name == QMC5883L.identity.name }) {
            _ = try? bus.read(address, register: QMC5883L.Register.XOUT_L, count: 6)
        }
        var readings: [IdentityReading] = []
        let marks = Set(chips.flatMap(\.marks)).sorted { ($0.register, $0.bytes.count) < ($1.register, $1.bytes.count) }
        for mark in marks {
            // Several marks may ask for the same bytes.
            let isRead = readings.contains { $0.register == mark.register && $0.bytes.count == mark.bytes.count }
            if isRead { continue }
            do throws(I2CError) {
                let bytes = try bus.read(address, register: mark.register, count: mark.bytes.count)
                readings.append(IdentityReading(register: mark.register, bytes: bytes))
            } catch {
                guard case .noAcknowledge = error else {
                    if error.isBusy { return BusFinding(address: address, state: .taken) }
                    throw error
                }
                // No chip there, or one that does not know this register.
            }
        }
        return readings.isEmpty ? nil : BusFinding(address: address, state: .answers(readings))
    }

    private static func isOfTheWholeBus(_ error: I2CError) -> Bool {
        switch error {
        case .timeout, .busVanished: true
        default: false
        }
    }

    private static func remedy(_ fault: I2CError) -> String {
        switch fault {
        case .busVanished: "the adapter is gone; if it is on USB, plug it in again"
        default:
            "SDA or SCL is held low; check for a short circuit, pull-ups and cable length, and power-cycle the device"
        }
    }
}
