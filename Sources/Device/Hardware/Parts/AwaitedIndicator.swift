// SPDX-License-Identifier: Apache-2.0
import Base
import CLinux
import Synchronization
import SystemKit

/// A light that may be missing. Once it is there, it shows what it was last asked to show.
///
/// `part` looks for it, when its owner polls it. A light that refuses counts as missing and is opened again.
/// Any thread.
package final class AwaitedIndicator: Indicator {
    package let part: AwaitedPart<any Indicator>
    /// As the board file says: a light that is not there cannot be asked.
    package let isColoured: Bool
    private let clock: any StudyClock
    private let wanted: WantedState<LightColour>

    /// A light that `open` opens as soon as it is looked for.
    package init(
        _ name: String, isColoured: Bool, clock: any StudyClock, open: @escaping @Sendable () throws -> any Indicator
    ) {
        let wanted = WantedState(LightColour.off)
        self.wanted = wanted
        self.isColoured = isColoured
        self.clock = clock
        part = AwaitedPart(name, at: clock.monotonic) {
            let light = try open()
            let colour = wanted.value
            if colour != .off { try light.show(colour) }
            return light
        } found: { light in
            // It may have been asked for another colour while `open` ran.
            try? wanted.drive { try light.show($0) }
        }
    }

    /// Does nothing while it is missing, which `part.fault` says.
    package func show(_ colour: LightColour) throws(SystemError) {
        wanted.value = colour
        guard let light = part.device else { return }
        do throws(SystemError) {
            try wanted.drive { (colour) throws(SystemError) in try light.show(colour) }
        } catch {
            part.lose(error, at: clock.monotonic)
            throw error
        }
    }

    package func close() {
        wanted.value = .off
        part.device?.close()
    }
}

/// A buzzer or a motor that may be missing. Once it is there, it sounds as it was last asked to.
///
/// `part` looks for it, when its owner polls it. One that refuses counts as missing and is opened again; an
/// unsupported pitch (EINVAL) is no sign of that. Any thread.
package final class AwaitedBuzzer: Buzzer {
    package let part: AwaitedPart<any Buzzer>
    /// As the board file says: one that is not there cannot be asked.
    package let hasPitch: Bool
    private let clock: any StudyClock
    private let wanted: WantedState<Double?>

    /// A buzzer that `open` opens as soon as it is looked for.
    package init(
        _ name: String, hasPitch: Bool, clock: any StudyClock, open: @escaping @Sendable () throws -> any Buzzer
    ) {
        let wanted = WantedState(Double?.none)
        self.wanted = wanted
        self.hasPitch = hasPitch
        self.clock = clock
        part = AwaitedPart(name, at: clock.monotonic) {
            let buzzer = try open()
            if let frequency = wanted.value { try buzzer.tone(frequency: frequency) }
            return buzzer
        } found: { buzzer in
            // It may have been asked for another tone while `open` ran.
            try? wanted.drive { try buzzer.tone(frequency: $0) }
        }
    }

    /// Does nothing while it is missing, which `part.fault` says.
    package func tone(frequency: Double?) throws(SystemError) {
        wanted.value = frequency
        guard let buzzer = part.device else { return }
        do throws(SystemError) {
            try wanted.drive { (frequency) throws(SystemError) in try buzzer.tone(frequency: frequency) }
        } catch {
            if error.code != EINVAL { part.lose(error, at: clock.monotonic) }
            throw error
        }
    }

    package func close() {
        wanted.value = nil
        part.device?.close()
    }
}

/// What a part was last asked to do; any thread.
final class WantedState<Value: Sendable>: Sendable {
    private let state: Mutex<Value>
    private let driving = Mutex(())

    init(_ value: Value) { state = Mutex(value) }

    var value: Value {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    /// Brings a device to the value that is wanted now. One caller at a time, and each reads the value only
    /// then, so that the last one sets the newest.
    func drive<Failure>(_ device: (Value) throws(Failure) -> Void) throws(Failure) {
        try driving.withLock { _ throws(Failure) in try device(value) }
    }
}
