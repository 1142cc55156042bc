// SPDX-License-Identifier: Apache-2.0
import Agent
import ArgumentParser
import Base
import Commands
import Study

/// `studyd study`: what a participant may ask about the study.
struct StudyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "study", abstract: "Show the study's name, texts and contact, and the participant's id.",
        discussion: "Example: studyd study")

    @OptionGroup var common: CommonOptions
    @Flag(name: .long, help: "Print one JSON object.")
    var json = false

    func run() async throws {
        let store = try StoreAccess(common, isReading: true)
        guard let state = try await store.database.latestEnrolment() else { throw EnrolmentError.notEnrolled }
        let loaded = try await store.database.loadedStudy(state.record)?.study
        guard !json else { return try await show(state, loaded, store) }
        Output.line("participant   \(state.record.participant.shown)")
        Output.line(
            "study         \(state.record.studyID.shown) (\(state.record.platform))"
                + (state.withdrawn == nil ? "" : ", left"))
        Output.line("enrolled      \(ZonedText(state.record.instant, in: store.stamps.zone))")
        if let times = state.record.holdTimes { Output.line("hold times    \(times.rawValue)") }
        guard let study = loaded else { return }
        for (name, text) in Self.rows(study) where !text.isEmpty {
            Output.line(name + String(repeating: " ", count: max(1, 14 - name.count)) + text.shown(indent: 14))
        }
        for resource in try await resources(of: study, state.record, store) {
            Output.line("resource      \(resource.title.shown)")
            if !resource.text.isEmpty { Output.line("              \(resource.text.shown(indent: 14))") }
        }
    }

    private static func rows(_ study: StudyProtocol) -> [(String, String)] {
        let texts = study.texts
        return [
            ("name", texts.name), ("instructions", texts.instructions), ("contact", texts.contactEmail),
            ("help", texts.contactURL), ("ethics", texts.ethics), ("statement", texts.statement),
            ("consent", texts.consent),
        ]
    }

    private func show(_ state: EnrolmentState, _ study: StudyProtocol?, _ store: StoreAccess) async throws {
        var members: [JSONText.Member] = [
            .init("participant", .string(state.record.participant)), .init("study", .string(state.record.studyID)),
            .init("platform", .string(state.record.platform)),
            .init("enrolled", .string(ZonedText(state.record.instant, in: store.stamps.zone).description)),
            .init("withdrawn", .boolean(state.withdrawn != nil)),
            .init("holdTimes", .string((state.record.holdTimes ?? .usual).rawValue)),
        ]
        if let study {
            members += Self.rows(study).filter { !$0.1.isEmpty }.map { .init($0.0, .string($0.1)) }
            let resources = try await resources(of: study, state.record, store).map { resource in
                JSONText.object([.init("title", .string(resource.title)), .init("text", .string(resource.text))])
            }
            members.append(.init("resources", .array(resources)))
        }
        Output.line(JSONText.object(members).text)
    }

    /// The study's resources that are open to the participant now.
    private func resources(
        of study: StudyProtocol, _ record: EnrolmentRecord, _ store: StoreAccess
    ) async throws -> [StudyResource] {
        let facts = try await store.database.facts(of: record.id)
        let now = store.stamps.zone.local(store.stamps.clock.now)
        return study.resources.filter {
            $0.isOpen(at: now, enrolled: record.local, variables: facts.variables)
        }
    }
}
