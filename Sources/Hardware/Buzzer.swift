// SPDX-License-Identifier: Apache-2.0

/// Something that sounds. Any thread; a call takes microseconds.
public protocol Buzzer: Sendable {
    /// False when it knows only its own pitch: meaning must then lie in rhythm.
    var hasPitch: Bool { get }
    /// Sounds at that many hertz until told otherwise; nil is silence.
    func tone(frequency: Double?) throws(SystemError)
    /// Silent from now on.
    func close()
}

/// A buzzer that hums by itself when its line is on.
public final class LineBuzzer: Buzzer {
    private let output: GPIOOutput

    /// A buzzer on that line.
    public init(_ output: GPIOOutput) { self.output = output }

    public var hasPitch: Bool { false }
    public func tone(frequency: Double?) throws(SystemError) { try output.set(frequency != nil) }
    public func close() { output.close() }
}
