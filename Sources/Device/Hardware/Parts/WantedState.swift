// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// What a part was last asked to do; any thread. `AwaitedBuzzer` and `AwaitedIndicator` keep it.
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
