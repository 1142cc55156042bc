// SPDX-License-Identifier: Apache-2.0
import PlatformKit
import Study

/// Where the study comes from and what is produced goes; `Enroller` warns of what is wrong with these addresses.
struct EnrolmentAddresses: Sendable {
    private struct Target: Sendable {
        let address: String
        let words: String
        let remedy: String
    }

    private let origin: String
    private let targets: [Target]

    init(_ options: EnrolmentOptions, _ destinations: [ConfiguredDestination]) {
        origin = options.loaded.origin
        let own = Target(
            address: options.postURL ?? options.loaded.study.postURL ?? "", words: "answers are sent",
            remedy: "leave the study and enrol again with --post-url ADDRESS")
        let configured = destinations.map {
            Target(address: $0.destination.address ?? "", words: $0.takes.words, remedy: "correct it in studyd.toml")
        }
        targets = [own] + configured
    }

    /// A remark on each address that is reached without encryption.
    var unencrypted: [String] {
        let origin = PlainAddress.remark(origin, for: "the study was fetched")
        return ([origin] + targets.map { PlainAddress.remark($0.address, for: $0.words) }).compactMap(\.self)
    }

    /// A remark on each address that does not answer, which would otherwise be noticed on the day of the first
    /// recording, or never. `tries` tries one, which blocks for some seconds, and says why it does not answer.
    func unreachable(_ tries: (_ address: String) -> String?) -> [String] {
        var asked: Set<String> = []
        return targets.compactMap { target in
            guard !target.address.isEmpty, asked.insert(target.address).inserted,
                let problem = tries(target.address)
            else { return nil }
            return
                "WARNING \(target.address), where \(target.words), does not answer (\(problem)): what is to be sent waits on this device until it does. "
                + "If the address is wrong, \(target.remedy)"
        }
    }
}
