// SPDX-License-Identifier: Apache-2.0

/// A chip that measures a vector at a steady rate and keeps some samples until they are fetched. The drivers of
/// `ChipCatalog` are such.
///
/// A conformance only talks to its chip: registers, set-up, status, one burst, bytes to counts.
/// Timing, gaps, counting and recovery are `SampledDevice`'s, the same for every chip. Used on its
/// bus's thread only.
///
/// `SampledDevice` calls `identityFault`, `wakeUp` and, `wakeUpTime` later, `setUp` and `isSetUp`; then,
/// while the chip measures, again and again `identityFaultWhileMeasuring`, `waiting` and `burst`, and for
/// each sample of the burst `isBeyondRange` and `counts`.
package protocol VectorSensor {
    var bus: any I2CBus { get }
    var source: SourceDescription { get }
    /// Which chip is expected where; for messages and for the identity check.
    var place: ChipPlace { get }
    /// How many samples the chip keeps: the depth of its FIFO, 1 without one.
    var depth: Int { get }
    /// How many samples one burst fetches, 1 ... `depth`: the FIFO's watermark.
    var watermark: Int { get }
    /// How long a measurement takes, for a chip that measures only on command: `setUp` and each `burst`
    /// end with that command. nil for a chip that measures by itself.
    var conversion: Duration? { get }
    /// Its pin says when a watermark (without a FIFO: a sample) is there, and falls
    /// when it is fetched.
    var hasInterrupt: Bool { get }

    /// How long after `wakeUp` registers take nothing and outputs are not settled; nil for a chip
    /// that listens at once.
    var wakeUpTime: Duration? { get }
    /// How many of the first samples after `setUp` are not settled yet and are thrown away.
    var unsettledSamples: Int { get }

    /// Asks the chip who it is; nil when it is the right one. Before this has passed nothing is
    /// written on the bus but what makes the chip reachable.
    func identityFault() -> SensorFault.Cause?
    /// As `identityFault`, before each reading of a chip that is already measuring: only reads, and does
    /// nothing to make the chip reachable.
    func identityFaultWhileMeasuring() -> SensorFault.Cause?
    /// Ends the sleep in which a chip begins. Called after the identity has been found right;
    /// nothing else is written before `wakeUpTime` has passed.
    func wakeUp() throws(I2CError)
    /// Writes every register that matters. Called only after the identity has been read
    /// and found right.
    func setUp() throws(I2CError)
    /// Reads back what `setUp` wrote; false when the chip has lost it (it was without
    /// power for a moment).
    func isSetUp() throws(I2CError) -> Bool
    /// How many samples wait in the chip. May have to empty a FIFO that overflowed.
    func waiting() throws(I2CError) -> FIFOStatus
    /// Fetches exactly `count` samples, oldest first, into the front of `bytes`. The array is kept
    /// from burst to burst and grows to the size of one, so that nothing is allocated after the first.
    func burst(_ count: Int, into bytes: inout [UInt8]) throws(I2CError)
    /// The chip says of sample `index` of a burst that an axis was beyond its range, so that its
    /// counts mean nothing. No I/O, no allocation. An axis at the end of its scale that the chip
    /// says nothing of is a value like any other.
    func isBeyondRange(_ burst: [UInt8], at index: Int) -> Bool
    /// Degrees Celsius of the chip itself, read now; nil for one without a thermometer, or that
    /// does not run one. Asked about once a minute, on the bus's thread, while the chip measures.
    func temperature() throws(I2CError) -> Double?
    /// The raw counts of sample `index` of a burst, in the order of the source's channels. No
    /// I/O, no allocation.
    func counts(_ burst: [UInt8], at index: Int) -> SIMD8<Int32>
}

/// Registers of a chip and what is to be written to them, in this order.
typealias RegisterWrites = [(register: UInt8, value: UInt8)]

extension VectorSensor {
    package var conversion: Duration? { nil }
    package var wakeUpTime: Duration? { nil }
    package func temperature() throws(I2CError) -> Double? { nil }
    package var unsettledSamples: Int { 0 }
    package func wakeUp() throws(I2CError) {}
    package func isBeyondRange(_ burst: [UInt8], at index: Int) -> Bool { false }
    /// False: a driver that sets such a pin up, for a chip that has one, returns true.
    package var hasInterrupt: Bool { false }

    /// Asks the chip who it is and nothing else; nil when it is the right one. For self-tests.
    package func probe() -> SensorFault? { identityFault().map { SensorFault(place: place, cause: $0) } }

    package func identityFault() -> SensorFault.Cause? { registerFault() }

    package func identityFaultWhileMeasuring() -> SensorFault.Cause? { identityFault() }

    /// Reads the identity register and compares; nil when it is right.
    func registerFault() -> SensorFault.Cause? {
        do throws(I2CError) {
            let (chip, value) = (place.chip, try byte(place.chip.register))
            return (value ^ chip.value) & chip.mask == 0 ? nil : .wrongIdentity(read: value)
        } catch {
            return .bus(error)
        }
    }

    func write(_ settings: RegisterWrites) throws(I2CError) {
        for (register, value) in settings { try bus.write(place.address, register: register, value) }
    }

    /// Reads exactly `count` bytes.
    func read(_ register: UInt8, count: Int) throws(I2CError) -> [UInt8] {
        try bus.read(place.address, register: register, count: count)
    }

    /// One register, without an array.
    func byte(_ register: UInt8) throws(I2CError) -> UInt8 {
        var value: UInt8 = 0
        try withUnsafeMutableBytes(of: &value) { (buffer) throws(I2CError) in
            try bus.read(place.address, register: register, into: buffer)
        }
        return value
    }

    /// Two registers, the lower first, without an array.
    func pair(_ register: UInt8) throws(I2CError) -> SIMD2<UInt8> {
        var value = SIMD2<UInt8>()
        try withUnsafeMutableBytes(of: &value) { (buffer) throws(I2CError) in
            try bus.read(place.address, register: register, into: buffer)
        }
        return value
    }

    /// Two registers as a signed number, the lower byte first unless `highFirst`.
    func signedPair(_ register: UInt8, highFirst: Bool = false) throws(I2CError) -> Double {
        let bytes = try pair(register)
        let (low, high) = highFirst ? (bytes[1], bytes[0]) : (bytes[0], bytes[1])
        return Double(Int16(bitPattern: UInt16(high) << 8 | UInt16(low)))
    }

    /// Reads exactly `count` bytes to `offset`; the array grows where it must and never shrinks.
    func read(
        _ register: UInt8, count: Int, into bytes: inout [UInt8], at offset: Int = 0, pieces: I2CPieces = .whole
    ) throws(I2CError) {
        if bytes.count < offset + count { bytes += repeatElement(0, count: offset + count - bytes.count) }
        try bytes.withUnsafeMutableBufferPointer { (buffer) throws(I2CError) in
            let part = UnsafeMutableRawBufferPointer(
                rebasing: UnsafeMutableRawBufferPointer(buffer)[offset..<offset + count])
            try bus.read(place.address, register: register, into: part, pieces: pieces)
        }
    }
}
