/** The paths of columns and references that are not at `opportunity.<column>`. */
const paths: Readonly<Record<string, string>> = {
  amount: 'opportunity.deal_size',
  owner_id: 'related_objects.owner_email',
  account_domain: 'related_objects.account_domain',
  primary_email: 'related_objects.primary_contact_email',
  additional_emails: 'related_objects.additional_contact_emails',
};

/** The dotted path of an opportunity's column, reference or custom field in a body. */
export const opportunityPath = (name: string): string => paths[name] ?? `opportunity.${name}`;
