import { Type, type Static } from 'typebox';
import { checkedAs, flag, instant, listOf, oneOf, responseObject, text, uuid } from './build.js';
import { closed, EmailInput, ShortText } from './input.js';
import { pageOf } from './pagination.js';

/** A person of the organization. */
export const Member = responseObject('Member', 'A person of the organization, who can own deals.', {
  member_id: uuid('Id of the member: `owner_id` of an opportunity.', 'member'),
  email: text('Email, normalized.', 'owner@example.com'),
  name: text('Name.', 'Olga Owner'),
  is_active: flag('False for a former member, who may keep opportunities but gets no new ones.', true),
  created_at: instant('When the person became a member.'),
});
export type Member = Static<typeof Member>;

/** `data` of a page of members. */
export const MemberPage = pageOf('MemberPage', 'A page of members.', {
  members: listOf(Member, 'The members of this page, sorted by email.'),
});
export type MemberPage = Static<typeof MemberPage>;

const name = { ...ShortText('Name; not blank.', 'Olga Owner'), ...checkedAs('requiredName') };

/** The body that adds a member. */
export const CreateMemberBody = closed(
  { email: EmailInput('Email of the person.', 'olga@example.com'), name },
  { title: 'CreateMember', examples: [{ email: 'olga@example.com', name: 'Olga Owner' }] },
);

/** The body that changes a member. */
export const UpdateMemberBody = closed(
  {
    email: Type.Optional(EmailInput('New email of the person.', 'olga@example.com')),
    name: Type.Optional(name),
    is_active: Type.Optional(flag('True makes a former member a member again.')),
  },
  { title: 'UpdateMember', minProperties: 1, examples: [{ name: 'Olga Owner-Lee' }] },
);

/** What happens to the opportunities of a removed member. */
export const RemoveMemberQuery = closed(
  {
    opportunities: Type.Optional(oneOf(['keep'], '`keep`: the deals keep their owner, who becomes a former member.')),
    reassign_to: Type.Optional(uuid('The member who gets the deals; then the person is deleted.', 'member')),
  },
  {},
);

/** `data` with one member. */
export const MemberDetail = responseObject('MemberDetail', 'A member.', { member: Member });
