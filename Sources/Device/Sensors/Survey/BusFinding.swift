// SPDX-License-Identifier: Apache-2.0
import Base

/// What an identity register read.
package struct IdentityReading: Sendable, Hashable, CustomStringConvertible {
    /// The first register.
    package let register: UInt8
    /// What that register and those after it read.
    package let bytes: [UInt8]

    /// `0x0F reads 0x33`.
    package var description: String {
        "\(hexadecimal(register)) reads \(bytes.map(hexadecimal).joined(separator: " "))"
    }
}

/// What a survey found at one address: the evidence, who it can be, and what a person should do, for
/// `studyd check` (`BusVerdict`).
package struct BusFinding: Sendable, Hashable, CustomStringConvertible {
    package enum State: Sendable, Hashable {
        /// A chip answers, and these registers were read.
        case answers([IdentityReading])
        /// A driver of the kernel owns the address; nothing was sent.
        case taken
        /// Reading failed in another way than by no acknowledgement.
        case failed(I2CError)
    }

    /// The 7-bit address.
    package let address: UInt8
    package let state: State

    /// What was read; empty when nothing was.
    package var evidence: [IdentityReading] {
        if case .answers(let readings) = state { readings } else { [] }
    }

    /// The names of the chips that it can be, as board files name them where they have a driver.
    /// Empty = unknown.
    package var candidates: [String] { chips.map(\.name) }

    /// Whether it can be the chip that a board file names there, whatever its capitals. nil when it
    /// could not be asked.
    package func canBe(_ name: String) -> Bool? {
        guard case .answers = state else { return nil }
        return candidates.contains { $0.lowercased() == name.lowercased() }
    }

    /// What it is, why that is thought, and what to do where it is not clear.
    package var description: String {
        switch state {
        case .taken:
            "a kernel driver owns the address (i2cdetect shows UU), so it was left alone; use type = \"IIO\" in the "
                + "board file if it is a sensor, or remove its overlay"
        case .failed(let error):
            "reading failed (\(error)); see `dmesg`, and check whether other addresses on the bus respond"
        case .answers(let readings):
            ([title + " (\(readings.map(\.description).joined(separator: ", ")))"] + remarks).joined(separator: "; ")
        }
    }

    private var title: String {
        switch candidates.count {
        case 0: "unknown device"
        case 1: candidates[0]
        default: candidates.dropLast().joined(separator: ", ") + " or " + (candidates.last ?? "")
        }
    }

    /// What a person must know beyond the name.
    private var remarks: [String] {
        [ambiguityNote, clockNote, bankNote, constantNote, unknownNote, kernelNote].compactMap(\.self)
    }

    /// The chips of this address whose marks, the values of their identity registers, fit what was read. A clock
    /// has no marks: it is a candidate when nothing else fits, or only a mark that may be the clock's seconds.
    private var chips: [KnownChip] {
        let here = KnownChip.all.filter { $0.addresses.contains(address) }
        var fitting = here.filter { chip in
            !chip.marks.isEmpty
                && chip.marks.allSatisfy { mark in
                    evidence.contains { $0.register == mark.register && mark.fits($0.bytes) }
                }
        }
        // Register 0x00 of an MPU (WHO_AM_I at 0x75) holds a code of its maker, which may be any number.
        let isMPU = fitting.contains { $0.marks.contains { $0.register == 0x75 } }
        if isMPU { fitting.removeAll { $0.marks.contains { $0.register == 0x00 } } }
        // WIA1 of an AK09916 reads what the identity register of an AK8963 reads.
        if fitting.contains(where: { $0.name == "AK09916" }) { fitting.removeAll { $0.name == "AK8963" } }
        guard fitting.allSatisfy({ $0.role == .kernelOnly }), !isBadContact else { return fitting }
        return fitting + here.filter { $0.role == .clock }
    }

    /// All bits are the same in all registers, which no chip's identity is.
    private var isBadContact: Bool {
        evidence.allSatisfy { $0.bytes.allSatisfy { $0 == 0xFF } }
            || evidence.allSatisfy { $0.bytes.allSatisfy { $0 == 0 } }
    }

    private var isClock: Bool { chips.contains { $0.role == .clock } }

    private var ambiguityNote: String? {
        let sensors = chips.filter { $0.role == .sensor }
        guard let first = sensors.first, let mark = first.marks.first else { return nil }
        let family = sensors.filter { $0.marks.contains(mark) }
        guard family.count > 1 else { return nil }
        return
            "the identity is common to \(family.map(\.name).joined(separator: ", ")), which nothing on the bus tells apart: "
            + "the board file must name the fitted chip"
    }

    private var clockNote: String? {
        guard isClock else { return nil }
        let confusion =
            chips.contains { $0.role == .kernelOnly }
            ? "or a clock whose seconds happened to read 0x24, which asking again in a few seconds tells apart; " : ""
        return confusion
            + "a clock has no identity register and belongs to the kernel (dtoverlay=i2c-rtc,ds3231 or pcf8523); an inertial sensor "
            + "on the same bus must be strapped to 0x69"
    }

    /// A set-up that was interrupted leaves an ICM-20948 in another bank, where its identity
    /// is not to be read.
    private var bankNote: String? {
        guard candidates.isEmpty || isClock, [0x68, 0x69].contains(address) else { return nil }
        return "an ICM-20948 that was left in another register bank also reads so; power-cycle it"
    }

    private var constantNote: String? {
        guard candidates == ["QMC5883L"] else { return nil }
        return
            "its identity register is a reserved one that reads 0xFF, as a bad contact does too: trust it only when it measures"
    }

    private var unknownNote: String? {
        guard case .answers = state, candidates.isEmpty else { return nil }
        return
            "no known chip at this address reads like this; correct the address pins, or use a supported chip. 0xFF or 0x00 "
            + "everywhere means a bad contact"
    }

    private var kernelNote: String? {
        // The BMI270 is the only one so far.
        guard chips.contains(where: { $0.role == .kernelOnly }) else { return nil }
        return
            "BMI270 needs its maker's configuration image, which only the kernel's driver has: enable it and use type = \"IIO\""
    }
}
