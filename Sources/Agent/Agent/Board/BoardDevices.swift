// SPDX-License-Identifier: Apache-2.0
import Base
import Device

/// A board's panel and buses. Parts that cannot be opened are named with file, key and remedy, and
/// looked for until they are there: each is made as an `Awaited…` part, which does nothing while its device is
/// missing, and which `poller` opens as soon as the device appears.
package struct BoardDevices: Sendable {
    package let board: BoardDescription
    /// In the order of the board file.
    package let lights: [any Indicator]
    /// Nil where the board has none: a loudspeaker then plays the tones.
    package let buzzer: (any Buzzer)?
    /// True while nothing but a loudspeaker can sound tones: the board has no buzzer,
    /// or it is missing.
    package var isWithoutBuzzer: @Sendable () -> Bool { { [part = awaitedBuzzer?.part] in part?.device == nil } }
    /// A motor, which shakes while a tone "sounds"; nil where the board has none.
    package let vibration: (any Buzzer)?
    /// By the name under which the board's chips refer to them.
    package let buses: [String: any I2CBus]
    /// The loudspeaker; nil where the board has none.
    package let playback: PCMPlayback?
    /// How the microphone is opened; it is opened when it is needed.
    package let microphone: PCMParameters?
    /// The receiver's serial line; nil where the board has none.
    package let serialPath: String?
    /// Looks for what is missing; started by the agent, stopped by `close`.
    package let poller: PartPoller
    private let opener: PartOpener
    private let clock: any StudyClock
    private let awaitedBuzzer: AwaitedBuzzer?
    private let kernelChips: [String: AwaitedPart<IIODevice>]

    /// Opens what is there of the board's parts. Throws only what no board is to blame
    /// for, such as a lack of file descriptors.
    package init(_ board: BoardDescription, parts: SimulatedParts, clock: any StudyClock) throws {
        (self.board, self.clock) = (board, clock)
        let opener = PartOpener(board: board, parts: parts)
        self.opener = opener
        var entries: [PartPoller.Entry] = []
        lights = board.lights.indices.map { index in
            let name = "light[\(index)]"
            let light = AwaitedIndicator(name, isColoured: board.lights[index].isRGB, clock: clock) {
                try opener.light(index)
            }
            entries.append(opener.entry(name, light.part))
            return light
        }
        func awaited(
            _ name: String, hasPitch: Bool, _ open: @escaping @Sendable () throws -> (any Buzzer)?
        ) -> AwaitedBuzzer {
            let buzzer = AwaitedBuzzer(name, hasPitch: hasPitch, clock: clock) { try open() ?? SilentBuzzer() }
            entries.append(opener.entry(name, buzzer.part))
            return buzzer
        }
        awaitedBuzzer = board.buzzer.map { buzzer in
            awaited("buzzer", hasPitch: buzzer.device.line == nil) { try opener.buzzer() }
        }
        buzzer = awaitedBuzzer
        vibration = board.vibration.map { _ in awaited("vibration", hasPitch: false) { try opener.vibration() } }
        var buses: [String: any I2CBus] = [:]
        for (index, bus) in board.buses.enumerated() {
            if let simulated = parts.buses[bus.name] {
                buses[bus.name] = simulated
                continue
            }
            let awaited = try LinuxI2CBus(awaiting: bus.device, at: clock.monotonic)
            entries.append(opener.entry("bus[\(index)]", awaited, isPlaced: false))
            buses[bus.name] = awaited
        }
        self.buses = buses
        var kernelChips: [String: AwaitedPart<IIODevice>] = [:]
        for chip in board.kernelChips {
            let part = AwaitedPart(chip.path, at: clock.monotonic) {
                try opener.kernelDevice(chip)
            }
            kernelChips[chip.device] = part
            entries.append(opener.entry(chip.path, part))
        }
        self.kernelChips = kernelChips
        microphone = opener.microphone
        serialPath = opener.serialPath
        playback = try opener.loudspeaker.map { try PCMPlayback($0, clock: clock) }
        if let loudspeaker = opener.loudspeaker, parts.loudspeaker == nil {
            let part = AwaitedPart("loudspeaker", at: clock.monotonic) {
                try opener.open("loudspeaker", loudspeaker.device) { try PCMPlayback.probe(loudspeaker) }
            }
            entries.append(opener.entry("loudspeaker", part))
        }
        poller = try PartPoller(entries, clock: clock)
    }

    /// The buttons, opened again, each as soon as its device appears; handed to the input thread.
    package func buttons(at now: MonotonicTime) throws -> [any ButtonSource] { try opener.awaitedButtons(at: now) }

    /// A sensor behind a driver of the kernel; nil while it is missing. It is looked up at each call, since its
    /// node may have changed; one that was pulled out counts as missing from now on.
    func kernelDevice(_ chip: BoardDescription.KernelChip) -> IIODevice? {
        guard let part = kernelChips[chip.device], part.device != nil else { return nil }
        do { return try opener.kernelDevice(chip) } catch {
            part.lose(error, at: clock.monotonic)
            return nil
        }
    }

    /// Everything dark, silent and still.
    package func close() {
        poller.stop()
        for light in lights { light.close() }
        buzzer?.close()
        vibration?.close()
        playback?.close()
    }
}

/// For the compiler alone: `PartOpener` gives nil only where the board names no such part.
private struct SilentBuzzer: Buzzer {
    let hasPitch = false
    func tone(frequency: Double?) {}
    func close() {}
}

extension PartOpener {
    fileprivate func kernelDevice(_ chip: BoardDescription.KernelChip) throws -> IIODevice {
        try open(chip.path, chip.device) { try IIODevice.find(chip.device, in: parts.kernelChips) }
    }

    /// A part under the place at which the board file names it: `board.toml:12: light[0]`. Faults that
    /// `PartOpener.open` throws name that place already; those of a bus do not (`isPlaced: false`).
    fileprivate func entry(_ path: String, _ part: any PolledPart, isPlaced: Bool = true) -> PartPoller.Entry {
        PartPoller.Entry(place: board.place(of: path), part: part, isPlaced: isPlaced)
    }
}
