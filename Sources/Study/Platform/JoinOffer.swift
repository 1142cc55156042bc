// SPDX-License-Identifier: Apache-2.0

/// A study that a server offers (`StudyServer.offer`), fetched for `StudyFinder`. No one-time token has been
/// used up yet: only `EnrolmentPlan.join` does that.
package struct JoinOffer: Sendable {
    /// As it is to be kept: the file, or a bundle of several.
    package let bytes: [UInt8]
    /// Its platform; nil = the one that recognises it.
    package let platform: PlatformName?
    package let plan: EnrolmentPlan

    package init(bytes: [UInt8], platform: PlatformName? = nil, plan: EnrolmentPlan = EnrolmentPlan()) {
        (self.bytes, self.platform, self.plan) = (bytes, platform, plan)
    }
}
