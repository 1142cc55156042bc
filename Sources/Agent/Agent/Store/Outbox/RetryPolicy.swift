// SPDX-License-Identifier: Apache-2.0

/// How long uploads (`DeliveryLane`), reports (`ReportPlan`) and `BrokerLink` wait after a failure: twice as long each
/// time up to a limit, half of it left to chance. No number of failures ends it.
///
/// Chance keeps the devices of a study from coming back to their server all at once
/// after it was away.
package struct RetryPolicy: Sendable, Hashable {
    /// After the first failure.
    private let first: Duration
    package let longest: Duration

    /// Waits between `first` and `longest`, both above zero.
    package init(first: Duration = .seconds(5), longest: Duration = .seconds(900)) {
        precondition(first > .zero && longest >= first, "a retry needs a wait above zero")
        self.first = first
        self.longest = longest
    }

    /// The wait after the failure of that number, from 1: between half of the doubled
    /// wait and all of it.
    package func delay(afterFailure number: Int, using generator: inout some RandomNumberGenerator) -> Duration {
        let doublings = min(max(number - 1, 0), 30)
        let full = min(first * Double(1 << doublings), longest)
        return full / 2 + (full / 2) * (Double(generator.next() >> 11) * 0x1p-53)
    }
}
