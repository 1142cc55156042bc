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
        let consent = try await store.database.consent(of: state.record.id)
        if let recorded = consent.recorded { Output.line("consented     \(words(recorded, store).shown)") }
        if state.withdrawn == nil, let problem = consent.problem { Output.line("consent due   \(problem.shown)") }
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

    private func words(_ consent: ConsentStatus.Recorded, _ store: StoreAccess) -> String {
        var words = "version \(consent.version), recorded \(ZonedText(consent.noted, in: store.stamps.zone))"
        for (name, text) in [
            (" by ", consent.recordedBy), (", for the participant by ", consent.representative),
            (", signed ", consent.date), (", sharing ", consent.sharing),
        ] where !text.isEmpty { words += name + text }
        return words
    }

    private static func rows(_ study: StudyProtocol) -> [(String, String)] {
        let texts = study.texts
        return [
            ("name", texts.name), ("instructions", texts.instructions), ("contact", texts.contactEmail),
            ("help", texts.contactURL), ("ethics", texts.ethics), ("statement", texts.statement),
            ("consent", texts.consent),
        ]
    }

    private func object(_ consent: ConsentStatus.Recorded, _ store: StoreAccess) -> JSONText {
        .object([
            "version": .string(consent.version), "recordedBy": .string(consent.recordedBy),
            "representative": .string(consent.representative), "sharing": .string(consent.sharing),
            "date": .string(consent.date),
            "recorded": .string(ZonedText(consent.noted, in: store.stamps.zone).description),
        ])
    }

    private func show(_ state: EnrolmentState, _ study: StudyProtocol?, _ store: StoreAccess) async throws {
        let consent = try await store.database.consent(of: state.record.id)
        let due = state.withdrawn == nil ? consent.problem : nil
        var members = JSONText.members([
            "participant": .string(state.record.participant), "study": .string(state.record.studyID),
            "platform": .string(state.record.platform),
            "enrolled": .string(ZonedText(state.record.instant, in: store.stamps.zone).description),
            "withdrawn": .boolean(state.withdrawn != nil),
            "holdTimes": .string((state.record.holdTimes ?? .usual).rawValue),
            "consented": consent.recorded.map { object($0, store) }, "consentDue": due.map { .string($0) },
        ])
        if let study {
            members += Self.rows(study).filter { !$0.1.isEmpty }.map { .init($0.0, .string($0.1)) }
            let resources = try await resources(of: study, state.record, store).map { resource in
                JSONText.object(["title": .string(resource.title), "text": .string(resource.text)])
            }
            members.append(.init("resources", .array(resources)))
        }
        Output.line(JSONText.object(members).text)
    }

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
