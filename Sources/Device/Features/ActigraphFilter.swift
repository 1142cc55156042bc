// SPDX-License-Identifier: Apache-2.0

/// One axis of ActiGraph's counts: samples in g in, counts of a tenth of a second out. `ActivityCounts` has one
/// for each of three axes.
///
/// Neishabouri et al. 2022, doi:10.1038/s41598-022-16003-x; each operation in the order of PyPI's
/// agcounts 0.2.6 (`extract.py`, and scipy's `lfilter` in direct form II transposed), so that counts are
/// its own, integer for integer. State is kept from sample to sample.
struct ActigraphFilter: Sendable {
    /// Samples per second that it takes.
    static let rates = [30, 40, 50, 60, 70, 80, 90, 100]

    // agcounts/legacy.py, INPUT_COEFFICIENTS, OUTPUT_COEFFICIENTS; the ninth of each is 0.
    private static let input: InlineArray<9, Double> = [
        -0.009341062898525, -0.025470289659360, -0.004235264826105, 0.044152415456420, 0.036493718347760,
        -0.011893961934740, -0.022917390623150, -0.006788163862310, 0,
    ]
    private static let output: InlineArray<9, Double> = [
        1, -3.63367395910957, 5.03689812757486, -3.09612247819666, 0.50620507633883, 0.32421701566682,
        -0.15685485875559, 0.0194913020589, 0,
    ]
    /// scipy.signal.lfilter_zi of both: the state of a filter that has seen 1 for ever.
    private static let steady: InlineArray<8, Double> = [
        0.00934106283621987, 0.034811352721976385, 0.0390466172342568, -0.0051057980292588895, -0.041599516408558065,
        -0.02970555449401845, -0.006788163861095593, 0,
    ]
    private static let scale = (3.0 / 4096.0) / (2.6 / 256.0) * 237.5

    /// Resampling to 30 Hz: `up` − 1 zeros are put after each sample, a low-pass follows where `up`
    /// is not 1, and every `down`th value is kept.
    private let (up, down): (Int, Int)
    /// Coefficients of agcounts' low-pass of first order; the gain also makes up for the zeros.
    private let (gain, feedback): (Double, Double)
    private var (previousInput, previousOutput) = (0.0, 0.0)
    /// Values at the higher rate until the next that is kept.
    private var wait = 0
    /// Of the band-pass; nil before its first sample.
    private var state: InlineArray<8, Double>?
    /// Of the present tenth of a second: the sum of its 30 Hz samples, and how many of its three have come.
    private var (sum, summed) = (0.0, 0)

    /// Nil for a rate that is not among `rates`.
    init?(rate: Int) {
        guard Self.rates.contains(rate) else { return nil }
        (up, down) = rate % 30 == 0 ? (1, rate / 30) : (3, rate / 10)
        let factor = Double(up)
        gain = .pi / (.pi + 2 * factor) * factor
        feedback = (.pi - 2 * factor) / (.pi + 2 * factor)
    }

    /// Takes a sample. `begins`: one of the 30 Hz samples made of it is the first of a tenth of a second.
    /// `count`: the count of the tenth of a second that it completes, if any.
    mutating func add(_ sample: Double) -> (begins: Bool, count: Int?) {
        var (begins, count): (Bool, Int?) = (false, nil)
        for step in 0..<up {
            let value = up == 1 ? sample : lowPass(step == 0 ? sample : 0)
            if wait == 0 {
                wait = down
                begins = begins || summed == 0
                // agcounts rounds to three decimals before the band-pass.
                count = bandPass((value * 1000).rounded(.toNearestOrEven) / 1000) ?? count
            }
            wait -= 1
        }
        return (begins, count)
    }

    private mutating func lowPass(_ input: Double) -> Double {
        let output = gain * (input + previousInput) - feedback * previousOutput
        (previousInput, previousOutput) = (input, output)
        return output
    }

    /// Takes a sample of 30 Hz: filtered, below 4 taken as 0, and limited to 128. Every third returns the
    /// mean of the last three, rounded down.
    private mutating func bandPass(_ value: Double) -> Int? {
        let magnitude = abs(Self.scale * filtered(value))
        sum += magnitude < 4 ? 0 : min(magnitude, 128).rounded(.down)
        summed += 1
        guard summed == 3 else { return nil }
        defer { (sum, summed) = (0, 0) }
        return Int((sum / 3).rounded(.down))
    }

    private mutating func filtered(_ value: Double) -> Double {
        var state = self.state ?? InlineArray { Self.steady[$0] * value }
        let output = state[0] + Self.input[0] * value
        for place in 0..<7 {
            state[place] = state[place + 1] + value * Self.input[place + 1] - output * Self.output[place + 1]
        }
        state[7] = value * Self.input[8] - output * Self.output[8]
        self.state = state
        return output
    }
}
