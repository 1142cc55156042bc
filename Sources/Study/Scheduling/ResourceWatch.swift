// SPDX-License-Identifier: Apache-2.0
import Base

/// Texts of the study that open to the participant at a certain time and are announced then, each once.
/// `StudyConductor` announces them. Pure.
struct ResourceWatch: Sendable {
    private let resources: [StudyResource]
    /// Ids of texts that were announced, or that opened and closed before they could be.
    private(set) var announced: Set<String>

    init(_ resources: [StudyResource], announced: Set<String>) {
        self.resources = resources.filter { !$0.announcement.isEmpty && $0.window != .always }
        self.announced = announced
    }

    /// No text is ever to be announced.
    var isEmpty: Bool { resources.isEmpty }

    /// When the next text opens that has not been announced; nil = none, or its date is not known.
    func next(in context: ScheduleContext) -> Instant? { spans(in: context).map(\.opens).min() }

    /// The texts to be announced now, in the order of the study; they count as announced.
    mutating func takeOpened(at now: Instant, in context: ScheduleContext) -> [StudyResource] {
        let open = spans(in: context).filter { $0.opens <= now }
        announced.formUnion(open.map(\.resource.id))
        return open.filter { $0.closes.map { now < $0 } ?? true }.map(\.resource)
    }

    /// The clock was wrong and goes back to `now`: texts that open at least `ClockLead.least` later will be
    /// announced again. A smaller difference is a correction of the clock, for which nothing is repeated.
    mutating func goBack(to now: Instant, in context: ScheduleContext) {
        announced.subtract(
            resources.filter { resource in
                let span = resource.span(enrolled: context.enrolment.local, variables: context.facts.variables)
                return span?.from.map { context.zone.resolve($0).instant >= now + ClockLead.least } ?? false
            }.map(\.id))
    }

    private func spans(in context: ScheduleContext) -> [(resource: StudyResource, opens: Instant, closes: Instant?)] {
        resources.filter { !announced.contains($0.id) }.compactMap { resource in
            let span = resource.span(enrolled: context.enrolment.local, variables: context.facts.variables)
            guard let span, let from = span.from else { return nil }
            return (resource, context.zone.resolve(from).instant, span.to.map { context.zone.resolve($0).instant })
        }
    }
}
