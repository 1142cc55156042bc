// SPDX-License-Identifier: Apache-2.0

/// How a chip is made to move its elements by a known force, and where that shows. `selfTest` follows it.
/// `MPUSelfTest` and `SelfTestRecipes` have one for each chip.
struct SelfTestRecipe {
    /// Settings for measuring without the force, written first; nil where the limits apply to the value
    /// measured with the force, not to the change.
    let quiet: RegisterWrites?
    /// Settings for measuring with the force, written after those of `quiet`.
    let excited: RegisterWrites
    /// Written before each sample, for a chip that measures only on command.
    var trigger: RegisterWrites = []
    /// How long the output takes to settle after `quiet`, and after `excited`.
    let settling: Duration
    /// From sample to sample, longer than the chip's own period.
    let period: Duration
    /// Samples that are averaged; one more is read first and thrown away.
    let samples: Int
    /// The output registers, with the bit for auto-increment where the chip wants it,
    /// and their bytes.
    let outputs: [(register: UInt8, count: Int)]
    /// The channels at the full scale that the test sets.
    let channels: [Channel]
    /// The limits apply to the size of the change, whatever its sign.
    var comparesSize = true
    /// Decodes the bytes of `outputs`, in order, to one count per channel.
    let counts: ([UInt8]) -> SIMD8<Int32>
}

/// A chip that can move its elements by a known force. Its `setUp` must undo everything that
/// its recipe writes.
protocol SelfTesting: VectorSensor {
    /// nil for a chip of the same registers that has no test.
    var selfTestRecipe: SelfTestRecipe? { get }
    /// What each channel must change by; may be kept in the chip by its maker.
    func selfTestLimits() throws(I2CError) -> [ClosedRange<Double>]
}

extension VectorSensor {
    /// Runs the chip's own test, which takes up to 2 s and needs the device to be still; nil when
    /// the chip has none.
    ///
    /// `pause` must block for the time it is given. Nothing is written before the identity is found
    /// right. The chip is set up again afterwards, whatever happened. Do not call it while a
    /// `SampledDevice` serves the chip. Throws where the identity is wrong or the bus fails.
    package func selfTest(pause: (Duration) -> Void) throws(SensorFault) -> SelfTestReport? {
        guard let chip = self as? any SelfTesting, let recipe = chip.selfTestRecipe else { return nil }
        if let cause = identityFault() { throw SensorFault(place: place, cause: cause) }
        let result: Result<[SelfTestReport.Axis], I2CError>
        do throws(I2CError) {
            try wakeUp()
            if let wakeUpTime { pause(wakeUpTime) }
            result = .success(try chip.runSelfTest(recipe, pause))
        } catch {
            result = .failure(error)
        }
        do throws(I2CError) {
            try setUp()
            return SelfTestReport(place: place, axes: try result.get())
        } catch {
            throw SensorFault(place: place, cause: .bus(error))
        }
    }
}

extension SelfTesting {
    fileprivate func runSelfTest(
        _ recipe: SelfTestRecipe, _ pause: (Duration) -> Void
    ) throws(I2CError) -> [SelfTestReport.Axis] {
        let limits = try selfTestLimits()
        var before = [Double](repeating: 0, count: recipe.channels.count)
        if let quiet = recipe.quiet { before = try measureMean(recipe, after: quiet, pause) }
        let after = try measureMean(recipe, after: recipe.excited, pause)
        return recipe.channels.indices.map { index in
            let change = after[index] - before[index]
            let channel = recipe.channels[index]
            return SelfTestReport.Axis(
                name: channel.name, unit: channel.unit, change: recipe.comparesSize ? abs(change) : change,
                allowed: limits[index])
        }
    }

    private func measureMean(
        _ recipe: SelfTestRecipe, after settings: RegisterWrites, _ pause: (Duration) -> Void
    ) throws(I2CError) -> [Double] {
        try write(settings)
        pause(recipe.settling)
        var sums = [Double](repeating: 0, count: recipe.channels.count)
        for sample in 0...recipe.samples {
            try write(recipe.trigger)
            pause(recipe.period)
            var bytes: [UInt8] = []
            for output in recipe.outputs { bytes += try read(output.register, count: output.count) }
            let counts = recipe.counts(bytes)
            guard sample > 0 else { continue }
            for index in sums.indices { sums[index] += recipe.channels[index].value(counts[index]) }
        }
        return sums.map { $0 / Double(recipe.samples) }
    }
}
