// SPDX-License-Identifier: Apache-2.0
import Agent
import ArgumentParser
import Base
import Commands

/// `studyd reward`: the code for the reward of a study that has one.
struct RewardCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reward",
        abstract: "Get the reward code from the study's server (and print it again later).",
        discussion: "Example: studyd reward")

    @OptionGroup var common: CommonOptions

    func run() async throws {
        try await StoreAccess.perform(.reward, common) { try await $0.participantRequests.reward() }
    }
}
